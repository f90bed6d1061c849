// @ts-check
/** Draws recorded terminal output as an SVG animation, with nothing but CSS. */

/**
 * @typedef {object} Line
 * @property {'command' | 'output'} kind
 * @property {string} text
 * @property {number} at when it appeared, in ms of the picture
 * @property {number} row
 * @property {number} [until] when another line took its row
 */

const ROW = 20;
const LEFT = 16;
const TOP = 52;
const WIDTH = 800;
/** How long the last frame stays before the animation restarts. */
const REST_MS = 5000;

/**
 * @param {readonly Line[]} lines
 * @param {{ title: string, description: string }} words
 */
export function drawStory(lines, { title, description }) {
  const total = Math.max(...lines.map(({ at }) => at)) + REST_MS;
  const height = TOP + Math.max(...lines.map(({ row }) => row)) * ROW + 24;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>${toXml(title)}</title>
<desc>${toXml(description)}</desc>
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #c9d1d9; white-space: pre; }
.command { fill: #ffffff; font-weight: 600; }
.prompt { fill: #3fb950; }
.title { fill: #8b949e; }
@media (prefers-reduced-motion: no-preference) {
${lines.map((line, index) => toRule(line, index, total)).join('\n')}
}
@media (prefers-reduced-motion: reduce) { .passing { display: none; } }
</style>
<rect width="${WIDTH}" height="${height}" rx="8" fill="#0d1117"/>
<circle cx="20" cy="18" r="5" fill="#ff5f57"/><circle cx="38" cy="18" r="5" fill="#febc2e"/><circle cx="56" cy="18" r="5" fill="#28c840"/>
<text class="title" x="${WIDTH / 2}" y="22" text-anchor="middle">${toXml(title)}</text>
${lines.map(toText).join('\n')}
</svg>
`;
}

/** @param {Line} line @param {number} index @param {number} total */
function toRule({ at, until }, index, total) {
  const toShare = (/** @type {number} */ ms) => `${((100 * ms) / total).toFixed(1)}%`;
  const gone = until === undefined ? '' : ` ${toShare(until)} { opacity: 0; }`;
  const shown = `0% { opacity: 0; } ${toShare(at)} { opacity: 1; }${gone}`;
  return `#l${index} { animation: k${index} ${total / 1000}s steps(1) infinite; } @keyframes k${index} { ${shown} }`;
}

/** @param {Line} line @param {number} index */
function toText({ kind, text, row, until }, index) {
  const place = `x="${LEFT}" y="${TOP + row * ROW}"`;
  const classes = [kind, ...(until === undefined ? [] : ['passing'])].join(' ');
  const prompt = kind === 'command' ? '<tspan class="prompt">$ </tspan>' : '';
  return `<text id="l${index}" class="${classes}" ${place}>${prompt}${toXml(text)}</text>`;
}

/** @param {string} text */
function toXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
