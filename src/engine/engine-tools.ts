/** The static types of an engine's tools. */
import type { Json } from '../task/json.ts';
import type { Jsonify } from '../task/jsonify.ts';
import type { TaskContext } from './attempts/context.ts';
import type { SubmitOptions } from './intake/submit.ts';
import type { SchemaInput, SchemaOutput, ToolSchema } from './schemas/tool-schema.ts';
import type { Tool } from './tool.ts';

/** Tools by name. */
// biome-ignore lint/suspicious/noExplicitAny: each tool knows the type of its own arguments
export type EngineTools = Readonly<Record<string, Tool<any>>>;

/** The arguments of an engine's tools, by tool name. */
// biome-ignore lint/suspicious/noExplicitAny: nothing is known of the arguments of unknown tools
export type ToolInputs = Readonly<Record<string, any>>;

/**
 * Tools as `createEngine` accepts them: each `run` gets the arguments as the tool's `input` parses them, and a member
 * that tools do not have is a type error. `Schemas` are their `input`s by name.
 */
export type InferredTools<Tools, Schemas> = Tools & {
  readonly [Name in keyof Schemas]: { readonly input?: Schemas[Name] & ToolSchema } & ToolOf<Schemas[Name]>;
} & { readonly [Name in keyof Tools]: { readonly [Key in Exclude<keyof Tools[Name], keyof Tool>]: never } };

/** Without a schema, a tool's argument types are known only from the signatures of its own functions. */
type ToolOf<Schema> = ToolSchema extends Schema
  ? UntypedTool
  : Schema extends ToolSchema
    ? Omit<Tool<SchemaOutput<Schema>>, 'input'>
    : UntypedTool;

type UntypedTool = Omit<EngineTools[string], 'input' | 'run'> & { run(args: unknown, task: TaskContext): unknown };

/** The arguments of tools: what their `input` accepts, else what their `run` asks for. */
export type InputsOf<Tools> = {
  readonly [Name in keyof Tools]: Tools[Name] extends { readonly input: infer Schema extends ToolSchema }
    ? SchemaInput<Schema>
    : Carried<RunArgs<Tools[Name]>>;
};

type RunArgs<Own> = Own extends { run(args: infer Args, ...rest: never): unknown } ? Args : never;

/** A `run` whose arguments JSON cannot carry would get something else, so its tool cannot be called (`never`). */
type Carried<Args> = Json extends Args ? unknown : Jsonify<Args> extends Args ? Args : never;

/**
 * The parameters of `submit`: a tool's name, its arguments, and options. Arguments may be omitted where an empty object
 * is valid.
 */
export type SubmitCall<Inputs> = {
  [Name in keyof Inputs & string]: Record<string, never> extends Inputs[Name]
    ? [tool: Name, args?: Inputs[Name], options?: SubmitOptions]
    : [tool: Name, args: Inputs[Name], options?: SubmitOptions];
}[keyof Inputs & string];
