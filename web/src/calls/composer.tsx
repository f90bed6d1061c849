import { useEffect, useMemo, useState } from 'preact/hooks';
import type { SandboxServer } from '../../../src/sandbox/sandbox-servers.ts';
import { asObject, findFaults, type JsonObject, toDefaults, toFields } from '../form/schema.ts';
import { SchemaForm } from '../form/schema-form.tsx';
import { toMessage } from '../live/api.ts';
import { Problem } from '../shell/bits.tsx';
import { t } from '../shell/settings.ts';
import { JsonEditor } from './json-editor.tsx';
import { ToolList } from './tool-list.tsx';

/** A call to be made, for example one that is repeated. */
export interface Draft {
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
}

/** The button below the form, and what it does with the composed call. */
export interface Maker {
  readonly label: string;
  make(call: Draft): Promise<unknown>;
}

/** The form to compose a call: server, tool, and the arguments as a form and as JSON. */
export function Composer({
  servers,
  maker,
  draft,
}: {
  servers: readonly SandboxServer[];
  maker: Maker;
  draft?: Draft | undefined;
}) {
  const [serverName, setServer] = useState(draft?.server ?? '');
  const [toolName, setTool] = useState(draft?.tool ?? '');
  const server = servers.find(({ name }) => name === serverName) ?? servers[0];
  useEffect(() => {
    if (!draft) return;
    setServer(draft.server);
    setTool(draft.tool);
  }, [draft]);
  if (!server) return <p class="hint">{t('loading')}</p>;
  const tool =
    server.tools.find(({ name }) => name === toolName) ??
    server.tools.find(({ name }) => name === 'sleep') ??
    server.tools[0];
  return (
    <div class="composer">
      <ServerPicker servers={servers} chosen={server.name} onChoose={setServer} />
      <ServerState server={server} />
      {server.tools.length > 0 && (
        <ToolList
          tools={server.tools}
          upstreams={server.upstreams ?? []}
          chosen={tool?.name ?? ''}
          onChoose={setTool}
        />
      )}
      {tool && <ArgumentsForm key={`${server.name} ${tool.name}`} {...{ server: server.name, tool, maker, draft }} />}
    </div>
  );
}

function ServerPicker(props: { servers: readonly SandboxServer[]; chosen: string; onChoose: (name: string) => void }) {
  const { servers, chosen, onChoose } = props;
  return (
    <div class="field">
      <label for="server">
        <span class="field-name">{t('server')}</span>
      </label>
      <select id="server" value={chosen} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {servers.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

function ServerState({ server: { name, state, problem } }: { server: SandboxServer }) {
  if (state === 'starting')
    return (
      <p class="hint" role="status">
        {name} {t('serverStarting')}
      </p>
    );
  if (state !== 'failed') return null;
  return (
    <div class="problem" role="alert">
      <p>
        {name} {t('serverFailed')}
      </p>
      <pre class="code-block">{problem}</pre>
    </div>
  );
}

interface ArgumentsFormProps {
  readonly server: string;
  readonly tool: SandboxServer['tools'][number];
  readonly maker: Maker;
  readonly draft?: Draft | undefined;
}

function ArgumentsForm({ server, tool, maker, draft }: ArgumentsFormProps) {
  const fields = useMemo(() => toFields(tool.inputSchema), [tool]);
  const [values, setValues] = useState<JsonObject>(() => ({
    ...toDefaults(fields),
    ...toDrafted(draft, server, tool.name),
  }));
  const [jsonFault, setJsonFault] = useState('');
  const [isTried, setTried] = useState(false);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    const drafted = toDrafted(draft, server, tool.name);
    if (drafted) setValues(drafted);
  }, [draft]);
  const faults = findFaults(fields, values);
  const call = async () => {
    setTried(true);
    setProblem('');
    if (Object.keys(faults).length > 0 || jsonFault !== '') return;
    try {
      await maker.make({ server, tool: tool.name, args: values });
    } catch (error) {
      setProblem(toMessage(error));
    }
  };
  const onSubmit = (event: Event) => {
    event.preventDefault();
    void call();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void call();
  };
  return (
    <form class="arguments" onSubmit={onSubmit} onKeyDown={onKeyDown} noValidate>
      {tool.description && <p class="tool-text">{tool.description}</p>}
      {fields.length === 0 && <p class="hint">{t('noArguments')}</p>}
      <SchemaForm idPrefix="arg" fields={fields} values={values} faults={isTried ? faults : {}} onChange={setValues} />
      <JsonEditor value={values} onChange={setValues} onFault={setJsonFault} />
      {problem && <Problem>{problem}</Problem>}
      <button type="submit" class="button button-primary button-wide">
        {maker.label} {tool.name}
      </button>
    </form>
  );
}

function toDrafted(draft: Draft | undefined, server: string, tool: string): JsonObject | undefined {
  return draft?.server === server && draft.tool === tool ? asObject(draft.args) : undefined;
}
