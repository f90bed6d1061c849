const TOOLS = `
  greet           answers at once
  sleep           takes its time, tells how far it is, and outlives a killed worker
  sleep_once      the same, but may not be repeated
  confirm_delete  asks for a yes before it would delete a file
  interview       asks several questions, one after another
  fail            fails, in the way you choose
  stream          hands out its output piece by piece
  run_program     runs a program of its own, which ends with it
`;

const stdio = `Holdfast demo: an MCP server with tools to try clients on. None of them changes anything.
${TOOLS}
It speaks MCP on stdin and stdout, so a client has to start it. In another terminal:
  holdfast call sleep '{"ms":20000}' -- holdfast demo
In Claude Code:
  claude mcp add holdfast-demo -- npx holdfast demo
In the settings of Cursor, Claude Desktop and others:
  {"mcpServers":{"holdfast-demo":{"command":"npx","args":["holdfast","demo"]}}}
Over HTTP:
  holdfast demo --http 8080
Ctrl-C ends it.`;

const http = `Holdfast demo: an MCP server with tools to try clients on. None of them changes anything.
${TOOLS}
Clients reach it at the URL below, and send the line below it as a header. In Claude Code:
  claude mcp add --transport http holdfast-demo URL --header "Authorization: Bearer TOKEN"
In the settings of Cursor and others:
  {"mcpServers":{"holdfast-demo":{"url":"URL","headers":{"Authorization":"Bearer TOKEN"}}}}
Ctrl-C ends it.
`;

/** The text the demo prints on a terminal, by transport. */
export const DEMO_GUIDE = { stdio, http } as const;
