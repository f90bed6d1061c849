/** Shown when no command is given. */
export const WELCOME = `Holdfast makes long-running MCP tool calls durable.

Get started:
  holdfast init DIR                       create a server with one slow tool, its test and client settings
  holdfast demo                           try a demo server: eight tools that are slow, ask, fail or stream
  holdfast tools -- COMMAND...            list the tools of a server
  holdfast call TOOL JSON -- COMMAND...   call a tool and get its result, however long it takes

Use existing servers:
  holdfast install --all --dry-run        preview putting the servers of your MCP clients behind the gateway
  holdfast gateway -- COMMAND...          serve one of them with durable calls
  holdfast doctor                         check your clients, their servers and timeouts, and calls that were nearly lost

Manage running work:
  holdfast tasks list                     list the tasks of all your servers, their progress and what they wait for
  holdfast tasks answer TASK              answer a question of a task
  holdfast logs TASK                      show the log of a task
  holdfast calls list                     list calls whose outcome has not been acknowledged
  holdfast where                          show where everything is stored

holdfast --help lists every command, holdfast COMMAND --help explains one, and
eval "$(holdfast completion script bash)" completes them (also zsh and fish).
`;
