// @ts-check
/** The app's page in the host: what the plugin does, because all else goes through its MCP server. */

/**
 * @param {{ container: { textContent: string | null } }} place
 * @returns {() => void} takes the page away
 */
export function mount({ container }) {
  container.textContent =
    'Codex runs in one window per working directory. Ask the assistant: it gives the work to Codex and gets the result.';
  return () => {
    container.textContent = '';
  };
}
