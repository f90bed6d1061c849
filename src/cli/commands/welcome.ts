/** Shown when no command is given. */
export const WELCOME = `Holdfast makes long-running MCP tool calls come back.

Begin:
  holdfast init DIR                       make a server with one slow tool, its test and the settings of clients
  holdfast demo                           try a server that is there: eight tools that are slow, ask, fail or stream
  holdfast tools -- COMMAND...            list the tools of a server
  holdfast call TOOL JSON -- COMMAND...   call one, and get its result however long it takes

Servers that you have already:
  holdfast install --all --dry-run        what it takes to put the servers of your MCP clients behind the gateway
  holdfast gateway -- COMMAND...          serve one of them, with slow calls that come back
  holdfast doctor                         your clients, their servers and time limits, and what was nearly lost

Look after what is under way:
  holdfast tasks list                     the tasks of all your servers: how far they are, and for whom they wait
  holdfast tasks answer TASK              answer what a task asks
  holdfast logs TASK                      what a task has logged
  holdfast calls list                     the calls whose result you have not taken yet
  holdfast where                          where all this is kept

holdfast --help lists every command, holdfast COMMAND --help explains one, and
eval "$(holdfast completion script bash)" completes them (also zsh and fish).
`;
