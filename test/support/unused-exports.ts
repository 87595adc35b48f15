import { dirname, join } from 'node:path/posix';
import type { SourceFile } from './source-files.ts';

/** What oclif and vitest load by its name, and the configuration of vitest, which is above these folders. */
const loadedByTools = /^(?:commands|bin)\/|^test\/support\/(?:built-threads|global-setup|longest-first|stage)\.ts$/;

const exported = /^export (?:async )?(?:function\*?|const|let|class) (?:\{(?<several>[^}]*)\}|(?<one>[\w$]+))/gm;
const imported =
  /(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?(?<what>\*\s+as\s+[\w$]+|\{[^}]*\})\s+from\s+'(?<from>\.[^']+)'/g;
/** Scripts have no types, so whoever imports one makes a URL of its name. */
const script = /(?:\bscripts\/)?(?<name>(?:\bchecks\/)?\b[\w-]+\.mjs)['`]/g;
/** What a file loads for `implement` is taken by the names of the operations, and those stand in the contract. */
const implementing = /\bimplement\(/;
const operation = /^ {2}(?<name>\w+): /gm;
/** Groups that several kinds have alike are declared in a function, and called by the kind. */
const declaredOnce = /^ {4}(?<name>\w+): operation\(/gm;
const prefix = /\bprefixed\('(?<name>\w+)'/g;
const loaded = /import\(\s*'(?<from>\.[^']+)'\s*,?\s*\)/g;

/** Functions, constants and classes that a file exports and no other file imports. Types are left: signatures need them. */
export function unusedExports(files: readonly SourceFile[]): string[] {
  const used = new Map<string, Set<string>>();
  const use = (path: string, from: string, names: Iterable<string>) => {
    const target = join(dirname(path), from);
    used.set(target, new Set([...(used.get(target) ?? []), ...names]));
  };
  const contract = new Map(
    files.filter(({ path }) => path.startsWith('src/contract/')).map((file) => [file.path, file]),
  );
  const operationsSeenBy = (path: string, text: string): string[] =>
    Array.from(text.matchAll(imported), ({ groups }) => join(dirname(path), groups?.['from'] ?? '')).flatMap((from) => {
      const declared = contract.get(from)?.text ?? '';
      const prefixed = allNamed(declared, prefix).flatMap((kind) =>
        allNamed(declared, declaredOnce).map((name) => `${kind}${name.charAt(0).toUpperCase()}${name.slice(1)}`),
      );
      return allNamed(declared, operation).concat(prefixed);
    });
  for (const { path, text } of files) {
    for (const { groups } of text.matchAll(imported)) {
      const what = groups?.['what'] ?? '';
      use(path, groups?.['from'] ?? '', what.startsWith('*') ? wordsOf(text) : namesIn(what));
    }
    const performed = implementing.test(text) ? operationsSeenBy(path, text) : [];
    for (const { groups } of text.matchAll(loaded)) use(path, groups?.['from'] ?? '', [...wordsOf(text), ...performed]);
    if (path.startsWith('test/'))
      for (const { groups } of text.matchAll(script)) use('scripts/any', groups?.['name'] ?? '', wordsOf(text));
  }
  return files
    .filter(({ path }) => !loadedByTools.test(path))
    .flatMap(({ path, text }) =>
      Array.from(text.matchAll(exported), ({ groups }) => groups?.['one'] ?? groups?.['several'] ?? '')
        .flatMap((names) => names.split(','))
        .map((name) => (name.split(':').at(-1) ?? '').trim())
        .filter((name) => name !== '' && used.get(path)?.has(name) !== true)
        .map((name) => `${path} exports ${name}, which nobody imports`),
    );
}

function allNamed(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ({ groups }) => groups?.['name'] ?? '');
}

/** Names as the other file calls them. */
function namesIn(braces: string): string[] {
  return braces
    .slice(1, -1)
    .split(',')
    .map((name) =>
      name
        .trim()
        .replace(/^type /, '')
        .replace(/ as .*$/, ''),
    );
}

/** Of what is imported as a whole, everything that the file names anywhere counts. */
function wordsOf(text: string): Set<string> {
  return new Set(text.match(/[\w$]+/g));
}
