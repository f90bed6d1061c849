/** What the compiler knows of the tools of an engine. */
import type { Json } from '../task/json.ts';
import type { Jsonify } from '../task/jsonify.ts';
import type { TaskContext } from './attempts/context.ts';
import type { SubmitOptions } from './intake/submit.ts';
import type { SchemaInput, SchemaOutput, ToolSchema } from './schemas/tool-schema.ts';
import type { Tool } from './tool.ts';

/** Tools by name. */
// biome-ignore lint/suspicious/noExplicitAny: each tool knows the type of its own arguments
export type EngineTools = Readonly<Record<string, Tool<any>>>;

/** What the tools of an engine are called with, by name. */
// biome-ignore lint/suspicious/noExplicitAny: of tools that are not known, nothing is
export type ToolInputs = Readonly<Record<string, any>>;

/**
 * Tools as `createEngine` takes them: each `run` gets what the tool's `input` makes of the arguments, and there is no member
 * that tools do not have. `Schemas` are their `input`s by name.
 */
export type InferredTools<Tools, Schemas> = Tools & {
  readonly [Name in keyof Schemas]: { readonly input?: Schemas[Name] & ToolSchema } & ToolOf<Schemas[Name]>;
} & { readonly [Name in keyof Tools]: { readonly [Key in Exclude<keyof Tools[Name], keyof Tool>]: never } };

/** Without a schema of its own nothing is known of a tool's arguments but what its functions say themselves. */
type ToolOf<Schema> = ToolSchema extends Schema
  ? UntypedTool
  : Schema extends ToolSchema
    ? Omit<Tool<SchemaOutput<Schema>>, 'input'>
    : UntypedTool;

type UntypedTool = Omit<EngineTools[string], 'input' | 'run'> & { run(args: unknown, task: TaskContext): unknown };

/** What tools are called with: what their `input` takes, else what their `run` asks for. */
export type InputsOf<Tools> = {
  readonly [Name in keyof Tools]: Tools[Name] extends { readonly input: infer Schema extends ToolSchema }
    ? SchemaInput<Schema>
    : Carried<RunArgs<Tools[Name]>>;
};

type RunArgs<Own> = Own extends { run(args: infer Args, ...rest: never): unknown } ? Args : never;

/** A `run` that asks for what JSON cannot carry would get something else, so it cannot be called. */
type Carried<Args> = Json extends Args ? unknown : Jsonify<Args> extends Args ? Args : never;

/** What `submit` takes: a tool's name, its arguments, and options. Arguments may be left out where an empty object will do. */
export type SubmitCall<Inputs> = {
  [Name in keyof Inputs & string]: Record<string, never> extends Inputs[Name]
    ? [tool: Name, args?: Inputs[Name], options?: SubmitOptions]
    : [tool: Name, args: Inputs[Name], options?: SubmitOptions];
}[keyof Inputs & string];
