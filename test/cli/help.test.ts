import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { runCli } from './run-cli.ts';

it('shows every command', async () => {
  expect(await runCli(['--help'])).toEqual({
    code: 0,
    stderr: '',
    stdout: `Usage: holdfast COMMAND [OPTIONS]

Commands:
  init [DIR]                          Make a server in TypeScript with one slow tool, its test, and the settings of clients; here, or in DIR
  tools [SERVER]                      List the tools of a server in holdfast.json or .mcp.json, or of a command after --; without either, the servers
  call TOOL [JSON]                    Call a tool and wait for its outcome, however long; arguments may come from stdin, with -
  calls list                          List calls whose outcome nobody has taken
  calls show CALL                     Show one call in full
  calls wait CALL                     Wait for a call again
  calls resume                        Wait for all pending calls
  calls cancel CALL                   Cancel a call and its work
  tasks list                          List tasks, newest first
  tasks show TASK                     Show one task in full
  tasks tail TASK                     Follow the events of a task until it ends
  tasks answer TASK [KEY] [JSON]      Answer an open question, with - from stdin; without JSON you are asked, and KEY is needed when several are open
  tasks cancel TASK                   Cancel a task
  tasks prune                         Drop finished tasks whose time is up
  tasks adopt [TASK...]               Give tasks that wait for a worker that cannot come to the newest program of their name
  store rekey                         Encode every payload with the first key of the key file; also what lies in clear
  store copy FROM TO                  Move a store to another place, each a database file or a postgres:// address; again completes what was broken off
  store reopen STORE                  Let a store be used again that a copy has closed
  logs TASK                           Show what a task has logged
  where                               Show where everything lies: the stores of this user, with their tasks and workers, and the calls
  prompts list                        List what apps ask, then results nobody has looked at
  prompts answer REQUEST [JSON]       Answer a prompt, with - from stdin; without JSON you are asked
  prompts tail                        Show the last entries of a log of prompts
  prompts explain TASKID              Say why the result of a task is not found in the log
  sandbox                             Open a page on which tools are called, watched live, and their workers killed
  dashboard                           Open a page on the tasks and workers of a store, live
  gateway                             Serve another MCP server, whose slow calls come back; give its command after --
  auth SERVER                         Sign in at a server behind the gateway, by its name or URL
  demo                                Serve eight MCP tools to try clients on: slow ones, and some that ask, fail, stream or run a program
  codex                               Serve Codex as MCP tools: runs in windows, streamed or answered when they end
  worker ENTRY                        Run the tasks of the program in a file, without serving it, until told to stop; its arguments after --
  monitor sync PATH                   Bring the monitor database up to date with a file or a directory
  monitor status                      Show how many files are tracked, and how the last sync went
  monitor check PATH                  Show whether a path is monitored, and why
  monitor filter show                 Show what is included and excluded
  monitor filter add LIST VALUE       Add to a list: include_paths, exclude_globs and so on
  monitor filter remove LIST VALUE    Remove from a list
  monitor priority show               Show the priorities of directories
  monitor priority add PATH PRIORITY  Give the files in a directory a priority
  monitor priority remove PATH        Take that priority away
  monitor                             Serve the file monitor as MCP tools
  install [NAME...]                   Put servers of MCP clients on this machine behind the gateway, so that slow calls come back
  uninstall [NAME...]                 Put the entries of MCP clients back as they were
  doctor                              Look at the MCP clients on this machine: their servers, their time limits, and which tools outlast them
  soak                                Call a server again and again, with faults between, and report; or give its command after --
  closure                             Soak a server over all its transports until enough runs in a row have passed
  chaos                               Make faults of a seeded plan and judge what became of every call; or give the command of a server after --
  completion script SHELL             Print what makes bash, zsh or fish complete commands: eval "$(holdfast completion script bash)"
  completion words                    Print what may stand in place of the last word after --, for the scripts above

Options:
  -h, --help  Show help
  --version   Show the version

A TASK or a CALL is an id, or the first characters of one, as lists show them.
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
  --store PATH           The store: a database file, the directory of its tasks.db, or a postgres:// address; also as HOLDFAST_STORE (default: all stores of this user)
  --name NAME            The store of the server of this name, in its default directory
  --key-file FILE        Keys of an encoded store or ledger, one "ID KEY" per line, mode 0600 (default: $HOLDFAST_KEY_FILE)
  --status STATUS        Only tasks in this status: queued, working, input_required, completed, failed or cancelled
  --tool TOOL            Only tasks of this tool; for soak and chaos, the tool that is called
  --principal PRINCIPAL  Only tasks, or the log, of this principal
  --limit N              How many tasks at most, 1 to 1000 (default 20)
  --all                  All of them, however many
  --json                 Print JSON, one document per line: one line, or for what is listed or followed one per entry
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
