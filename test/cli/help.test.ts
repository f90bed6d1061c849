import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { runCli } from './run-cli.ts';

it('shows every command', async () => {
  expect(await runCli(['--help'])).toEqual({
    code: 0,
    stderr: '',
    stdout: `Usage: holdfast COMMAND [OPTIONS]

Commands:
  init [DIR]                          Create a TypeScript server with one slow tool, its test and client settings, here or in DIR
  tools [SERVER]                      List the tools of a server in holdfast.json or .mcp.json, or of a command after --; without either, list the servers
  call TOOL [JSON]                    Call a tool and wait for its outcome, however long it takes; - reads the arguments from stdin
  calls list                          List calls whose outcome has not been acknowledged
  calls show CALL                     Show one call in full
  calls wait CALL                     Resume waiting for a call
  calls resume                        Resume waiting for all pending calls
  calls cancel CALL                   Cancel a call and its work
  tasks list                          List tasks, newest first
  tasks show TASK                     Show one task in full
  tasks tail TASK                     Follow the events of a task until it ends
  tasks answer TASK [KEY] [JSON]      Answer an open question; - reads the JSON from stdin, without JSON you are asked; KEY is required if several are open
  tasks cancel TASK                   Cancel a task
  tasks prune                         Delete finished tasks whose TTL has expired
  tasks adopt [TASK...]               Reassign tasks whose program is no longer served to the newest program of the same name
  store rekey                         Encrypt every payload with the first key of the key file, including those stored in clear text
  store copy FROM TO                  Move a store; FROM and TO are database files or postgres:// addresses; rerun to complete an interrupted copy
  store reopen STORE                  Reopen a store that was closed by a copy
  logs TASK                           Show the log of a task
  where                               Show where everything is stored: the stores of this user, with their tasks and workers, and the calls
  prompts list                        List open questions from apps, then unread results
  prompts answer REQUEST [JSON]       Answer a prompt; - reads the JSON from stdin, without JSON you are asked
  prompts tail                        Show the last entries of a prompt log
  prompts explain TASKID              Explain why the result of a task is not found in the prompt log
  sandbox                             Serve a page to call tools, watch them live and kill their workers
  dashboard                           Serve a live page of the tasks and workers of a store
  gateway                             Serve another MCP server with durable calls; pass its command after --
  auth SERVER                         Sign in to a server behind the gateway, by its name or URL
  demo                                Serve eight MCP tools for trying out clients: slow ones, and some that ask, fail, stream or run a program
  codex                               Serve Codex as MCP tools: run it in windows, with results streamed or returned at the end
  worker ENTRY                        Run the tasks of the program in file ENTRY without serving it, until stopped; pass its arguments after --
  monitor sync PATH                   Update the monitor database from a file or directory
  monitor status                      Show the number of tracked files and the result of the last sync
  monitor check PATH                  Show whether a path is monitored, and why
  monitor filter show                 Show the include and exclude lists
  monitor filter add LIST VALUE       Add a value to a list: include_paths, exclude_globs and so on
  monitor filter remove LIST VALUE    Remove a value from a list
  monitor priority show               Show the priorities of directories
  monitor priority add PATH PRIORITY  Set the priority of the files in a directory
  monitor priority remove PATH        Remove the priority of a directory
  monitor                             Serve the file monitor as MCP tools
  install [NAME...]                   Put servers of MCP clients on this machine behind the gateway, to make slow calls durable
  uninstall [NAME...]                 Restore the original entries in the configs of MCP clients
  doctor                              Check the MCP clients on this machine: their servers, their timeouts, and which tools outlast them
  soak                                Call a server repeatedly while injecting faults, and write a report; optionally pass its command after --
  closure                             Soak a server over all its transports until enough consecutive runs have passed
  chaos                               Inject faults from a seeded plan and check the outcome of every call; optionally pass a server command after --
  completion script SHELL             Print a completion script for bash, zsh or fish: eval "$(holdfast completion script bash)"
  completion words                    Print completions for the last word after --; used by the completion scripts

Options:
  -h, --help  Show help
  --version   Show the version

TASK and CALL are ids or unique id prefixes, as shown in lists.
`,
  });
});

it('shows the commands of a group, and those of the whole for a group it does not know', async () => {
  const [group, unknown] = await Promise.all([runCli(['tasks', '-h']), runCli(['jobs', '-h'])]);
  expect(group.stdout).toMatch(/^Usage: holdfast tasks COMMAND \[OPTIONS\]\n/);
  expect(group.stdout).not.toContain('--version');
  expect(unknown.stdout).toMatch(/^Usage: holdfast COMMAND \[OPTIONS\]\n/);
});

it('shows the options of a command', async () => {
  const { code, stdout } = await runCli(['tasks', 'list', '--help']);
  expect(code).toBe(0);
  expect(stdout).toBe(`Usage: holdfast tasks list [OPTIONS]

List tasks, newest first.

Options:
  --store PATH           Store: a database file, the directory of its tasks.db, or a postgres:// address; or set HOLDFAST_STORE (default: all stores of this user)
  --name NAME            Use the store of the server with this name, in its default directory
  --key-file FILE        Keys of an encrypted store or ledger, one "ID KEY" per line, mode 0600 (default: $HOLDFAST_KEY_FILE)
  --status STATUS        Only tasks in this status: queued, working, input_required, completed, failed or cancelled
  --tool TOOL            Only tasks of this tool; with soak, closure and chaos: the tool to call
  --principal PRINCIPAL  Only tasks of this principal; with prompts: the prompt log of this principal
  --limit N              Maximum number of tasks, 1 to 1000 (default 20)
  --all                  All of them, not only the default selection
  --json                 Print JSON, one document per line; lists and streams print one per entry
  -h, --help             Show help
`);
});

it('shows the commands that begin with the name of another', async () => {
  const { stdout } = await runCli(['monitor', '--help']);
  expect(stdout).toMatch(/^Usage: holdfast monitor \[OPTIONS\]\n/);
  expect(stdout).toContain('\nCommands:\n  monitor sync PATH ');
});

it('shows the version of the package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});
