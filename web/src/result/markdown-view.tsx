import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { type Block, type Inline, parseMarkdown } from './markdown.ts';

/** Renders untrusted Markdown as known elements and text. */
export function MarkdownView({ text }: { text: string }) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return <div class="markdown">{blocks.map(toBlock)}</div>;
}

function toBlock(block: Block, at: number): ComponentChildren {
  switch (block.type) {
    case 'heading':
      // Below the levels of the page's own headings.
      return (
        <p
          key={at}
          class={`markdown-h markdown-h${block.level}`}
          role="heading"
          aria-level={Math.min(6, block.level + 3)}
        >
          {block.parts.map(toInline)}
        </p>
      );
    case 'paragraph':
      return <p key={at}>{block.parts.map(toInline)}</p>;
    case 'code':
      return (
        <pre key={at} class="code-block" tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case 'list': {
      const items = block.items.map((item, index) => <li key={index}>{item.map(toInline)}</li>);
      return block.isOrdered ? <ol key={at}>{items}</ol> : <ul key={at}>{items}</ul>;
    }
    case 'quote':
      return <blockquote key={at}>{block.blocks.map(toBlock)}</blockquote>;
    case 'table':
      return <TableBlock key={at} table={block} />;
    case 'rule':
      return <hr key={at} />;
  }
}

function TableBlock({ table: { head, rows } }: { table: Extract<Block, { type: 'table' }> }) {
  return (
    <div class="table-frame">
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at}>{cell.map(toInline)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{cell.map(toInline)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function toInline(part: Inline, at: number): ComponentChildren {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'code':
      return <code key={at}>{part.text}</code>;
    case 'strong':
      return <strong key={at}>{part.parts.map(toInline)}</strong>;
    case 'em':
      return <em key={at}>{part.parts.map(toInline)}</em>;
    case 'link':
      return (
        <a key={at} href={part.href} target="_blank" rel="noopener noreferrer">
          {part.parts.map(toInline)}
        </a>
      );
  }
}
