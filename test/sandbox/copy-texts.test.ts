/** Calls as texts to be pasted: whatever the arguments hold, they stay arguments. */
import { describe, expect, it } from 'vitest';
import { toCopyTexts } from '../../src/sandbox/copy/copy-texts.ts';
import { toShellWord, toVisibleJson } from '../../src/text/shell-word.ts';

const source = {
  own: { command: 'npx', args: ['-y', 'holdfast'] },
  served: { command: 'npx', args: ['-y', 'holdfast', 'gateway', '--config', "/home/o'neil/holdfast.json"] },
  name: 'mine',
  needsEnv: true,
};

describe('a call as a text', () => {
  it('[SAND-221] has hostile arguments as data in every form', () => {
    const args = JSON.parse(
      `{"a":"'; rm -rf / #","b":"\${HOME} \`id\` $(id)","__proto__":{"x":1},"c":"\\u009b2J\\u202eabc\\u2028","d":"*/ </script>"}`,
    );
    const { cli = '', typescript, config, test } = toCopyTexts(source, { tool: "t'ool", args });
    expect(cli).toMatch(/^npx -y holdfast call 't'\\''ool' '\{/);
    expect(cli).toContain(` --pass-env '*' -- npx -y holdfast gateway --config '/home/o'\\''neil/holdfast.json'`);
    for (const text of [cli, typescript, config, test]) expect(text).not.toMatch(/[\u007f-\u009f\u2028-\u202e]/);
    const given = /host\.call\("mine", "t'ool", JSON\.parse\((".*")\)\);/.exec(typescript)?.[1] ?? '';
    const parsed = JSON.parse(JSON.parse(given));
    expect(Object.keys(parsed)).toEqual(Object.keys(args));
    expect(parsed).toEqual(args);
    expect(JSON.parse(config)).toEqual({ mcpServers: { mine: source.served } });
    expect(test).toContain('test("t\'ool gives a result"');
  });

  it('[SAND-221] shows control characters instead of pasting them, and gives no command line to what would be an option', () => {
    expect(toShellWord('a\nb\u009b')).toBe(String.raw`$'a\012b\302\233'`);
    expect(toShellWord("it's")).toBe(String.raw`'it'\''s'`);
    const odd = { a: '\u0000\u007f\ud800\u{e0041}\u200d', b: [1] };
    expect(JSON.parse(toVisibleJson(odd, 2))).toEqual(odd);
    expect(toVisibleJson(odd)).toContain(String.raw`\udb40\udc41`);
    expect(toCopyTexts(source, { tool: '--help', args: {} }).cli).toBeUndefined();
  });
});
