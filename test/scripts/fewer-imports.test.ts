import { describe, expect, it } from 'vitest';

type Import = { readonly path: string; readonly kind: string };
interface Bundle {
  readonly outputFiles: readonly { readonly path: string; readonly text: string; readonly hash: string }[];
  readonly metafile: { readonly outputs: Readonly<Record<string, { readonly imports: readonly Import[] }>> };
}
interface Script {
  fewerImports(bundle: Bundle): Bundle;
}

const { fewerImports } = (await import(String(new URL('../../scripts/fewer-imports.mjs', import.meta.url)))) as Script;

/** A bundle of files by their texts: what a text imports is in its account too, as the bundler writes it. */
function bundleOf(texts: Readonly<Record<string, string>>): Bundle {
  const importsOf = (text: string): Import[] =>
    [...text.matchAll(/import(?<call>\()?(?:\{[^}]*\}from)?"\.\/(?<name>[^"]+)"/g)].map(({ groups }) => ({
      path: `dist/${groups?.['name']}`,
      kind: groups?.['call'] === undefined ? 'import-statement' : 'dynamic-import',
    }));
  return {
    outputFiles: Object.entries(texts).map(([name, text]) => ({ path: `/root/dist/${name}`, text, hash: name })),
    metafile: {
      outputs: Object.fromEntries(
        Object.entries(texts).map(([name, text]) => [`dist/${name}`, { imports: importsOf(text) }]),
      ),
    },
  };
}

function textOf({ outputFiles }: Bundle, name: string): string | undefined {
  return outputFiles.find(({ path }) => path === `/root/dist/${name}`)?.text;
}

describe('imports of a bundle', () => {
  const bound = 'import{x}from"./b.js";';
  const rest = { 'b.js': 'import{y}from"./c.js";', 'c.js': '', 'd.js': 'import"./e.js";', 'e.js': '' };

  it('go where another one loads the same, and leave every other character in its place', () => {
    const made = fewerImports(
      bundleOf({ 'a.js': `${bound}import"./c.js";import"./d.js";import"./e.js";go()`, ...rest }),
    );
    const gone = ' '.repeat('import"./c.js";'.length);
    expect(textOf(made, 'a.js')).toBe(`${bound}${gone}import"./d.js";${gone}go()`);
    expect(made.metafile.outputs['dist/a.js']?.imports.map(({ path }) => path)).toEqual(['dist/b.js', 'dist/d.js']);
    expect(textOf(made, 'b.js')).toBe(rest['b.js']);
  });

  it('stay where only import() loads the same, a file that needs the one itself, or nothing', () => {
    const later = 'import("./b.js");import"./c.js";';
    expect(textOf(fewerImports(bundleOf({ 'a.js': later, ...rest })), 'a.js')).toBe(later);
    const round = 'import{x}from"./b.js";import"./c.js";';
    const circle = bundleOf({ 'a.js': round, 'b.js': 'import"./a.js";', 'c.js': '' });
    expect(textOf(fewerImports(circle), 'a.js')).toBe(round);
    const alone = 'import"./c.js";';
    expect(textOf(fewerImports(bundleOf({ 'a.js': alone, ...rest })), 'a.js')).toBe(alone);
  });
});
