/** One option of a command: its syntax, its help text and how its value is parsed. */
export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** Whether the option may be repeated; its value is then a list. */
  readonly multiple?: true;
  /** The placeholder for the value in help. Shells complete `FILE`, `PATH` and `DIR` as files or directories. */
  readonly value?: string;
  readonly help: string;
  /** All allowed values, for shell completion. */
  readonly choices?: readonly string[];
  /** Parses the text into the value, or throws `USAGE` naming the option and what is expected. */
  readonly parse?: (text: string, option: string) => unknown;
}

/** Options by name, in the order help shows them. */
export type OptionTable = Readonly<Record<string, Option>>;

/** Parsed options; an option that was not given is absent. */
export type OptionValues<Options extends OptionTable = OptionTable> = {
  readonly [Name in keyof Options]?: OptionValue<Options[Name]>;
};

type OptionValue<Spec extends Option> = Spec extends { readonly multiple: true }
  ? readonly OneValue<Spec>[]
  : OneValue<Spec>;

type OneValue<Spec extends Option> = Spec extends { readonly type: 'boolean' }
  ? boolean
  : Spec extends { readonly parse: (text: string, option: string) => infer Value }
    ? Value
    : string;
