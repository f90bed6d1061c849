/** One option of a command: how it is written, what help says of it, and what becomes of its text. */
export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** It may be given several times, and is a list. */
  readonly multiple?: true;
  /** How help calls the value. `FILE`, `PATH` and `DIR` are completed as such by shells. */
  readonly value?: string;
  readonly help: string;
  /** All values there are, for shells to complete. */
  readonly choices?: readonly string[];
  /** Turns the text into the value, or throws `USAGE` that names the option and what is expected. */
  readonly parse?: (text: string, option: string) => unknown;
}

/** Options by their names, in the order of help. */
export type OptionTable = Readonly<Record<string, Option>>;

/** Parsed options; each is absent unless it was given. */
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
