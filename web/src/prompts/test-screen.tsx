import { useEffect, useState } from 'preact/hooks';
import type { TestLine } from '../../../src/sandbox/prompts/async-task-test.ts';
import { CallCard } from '../calls/call-card.tsx';
import { toFields } from '../form/schema.ts';
import { get, post } from '../live/api.ts';
import { live } from '../live/live.ts';
import { useLive } from '../live/use-live.ts';
import { ActButton, Problem } from '../shell/bits.tsx';
import { t } from '../shell/settings.ts';

interface AsyncTest {
  readonly paths: Readonly<Record<string, string>>;
  readonly lines: readonly TestLine[];
}

/** Tests a call that answers through the prompt log. */
export function TestScreen() {
  const { servers, calls } = useLive();
  const [test, setTest] = useState<AsyncTest>({ paths: {}, lines: [] });
  const [callId, setCallId] = useState('');
  useEffect(() => {
    const read = () => get<AsyncTest>('async-test').then(setTest, () => undefined);
    void read();
    return live.on('prompts', () => void read());
  }, []);
  const plugins = servers.filter(({ isGateway, state }) => !isGateway && state === 'ready');
  const tools = plugins.flatMap(({ name: server, tools: list }) =>
    list.map(({ name, inputSchema }) => ({ server, name, field: toTextField(inputSchema) })),
  );
  const call = calls.get(callId);
  return (
    <div class="page page-narrow">
      <h2>{t('mcpTest')}</h2>
      <p class="muted">{t('testIntro')}</p>
      <TestForm tools={tools} onMade={setCallId} />
      {call && <CallCard call={call} />}
      <OutputLog lines={test.lines} />
      <ExplainForm />
      <Paths paths={test.paths} />
    </div>
  );
}

interface TestedTool {
  readonly server: string;
  readonly name: string;
  /** The argument that receives the message. */
  readonly field: string;
}

function toKey({ server, name }: TestedTool): string {
  return `${server} / ${name}`;
}

/** The argument of a tool that receives text: `message`, else the first required text, else the first text. */
function toTextField(schema: unknown): string {
  const texts = toFields(schema).filter(({ kind }) => kind === 'text');
  const found = texts.find(({ name }) => name === 'message') ?? texts.find(({ isRequired }) => isRequired) ?? texts[0];
  return found?.name ?? 'message';
}

function TestForm({ tools, onMade }: { tools: readonly TestedTool[]; onMade: (callId: string) => void }) {
  const [chosen, setChosen] = useState('');
  const [message, setMessage] = useState('hello');
  const [problem, setProblem] = useState('');
  const run = async () => {
    setProblem('');
    const tested = tools.find((tool) => toKey(tool) === chosen);
    const { server = '', name: tool = '', field = 'message' } = tested ?? {};
    const { callId } = await post<{ callId: string }>('async-test', { server, tool, args: { [field]: message } });
    onMade(callId);
  };
  return (
    <div class="card test-form">
      <div class="field">
        <label for="test-tool">
          <span class="field-name">{t('tool')}</span>
        </label>
        <select id="test-tool" value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
          <option value="">{t('simulated')}</option>
          {tools.map(toKey).map((tool) => (
            <option key={tool} value={tool}>
              {tool}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="test-message">
          <span class="field-name">{t('message')}</span>
        </label>
        <input
          id="test-message"
          type="text"
          value={message}
          onInput={({ currentTarget }) => setMessage(currentTarget.value)}
        />
      </div>
      <ActButton label={t('asyncTest')} kind="primary" act={run} onFailed={setProblem} />
      {problem && <Problem>{problem}</Problem>}
    </div>
  );
}

function OutputLog({ lines }: { lines: readonly TestLine[] }) {
  return (
    <>
      <h2>{t('outputLog')}</h2>
      {lines.length === 0 && <p class="hint">{t('noOutput')}</p>}
      <ol class="test-lines" aria-live="polite">
        {lines.map((line, at) => (
          <li key={at}>
            <p class="test-label">
              <time>{new Date(line.at).toISOString()}</time> <strong>{line.label}</strong>
            </p>
            <pre class="code-block" tabIndex={0}>
              {line.content}
            </pre>
          </li>
        ))}
      </ol>
    </>
  );
}

function ExplainForm() {
  const [taskId, setTaskId] = useState('');
  const [said, setSaid] = useState('');
  const ask = async () => {
    const { reason, message } = await get<{ reason: string; message: string }>(
      `prompts/explain?taskId=${encodeURIComponent(taskId)}`,
    );
    setSaid(`${reason}: ${message}`);
  };
  return (
    <>
      <h2>{t('explain')}</h2>
      <div class="inline-form">
        <input
          type="text"
          aria-label={t('explainHint')}
          placeholder={t('explainHint')}
          value={taskId}
          onInput={({ currentTarget }) => setTaskId(currentTarget.value)}
        />
        <ActButton label="prompts explain" act={ask} onFailed={setSaid} isDisabled={taskId.trim() === ''} />
      </div>
      {said && <p role="status">{said}</p>}
    </>
  );
}

function Paths({ paths }: { paths: Readonly<Record<string, string>> }) {
  return (
    <>
      <h2>{t('paths')}</h2>
      <dl class="paths">
        {Object.entries(paths).map(([name, path]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{path || '–'}</code>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
