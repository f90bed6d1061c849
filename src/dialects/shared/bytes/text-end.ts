const BACKSLASH = 0x5c;

/** Returns the index of the quote that ends the JSON string that begins at `start`; the length of `json` when none does. */
export function findTextEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let slashes = 0;
    while (json.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return json.length;
}
