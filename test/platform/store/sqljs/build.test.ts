import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { checkContent, checkImports, fileImports, loadBuild } from '../../../../src/platform/store/sqljs/build.ts';
import { nodeDisk } from '../../../../src/platform/store/sqljs/disk.ts';
import { openFiles } from '../../../../src/platform/store/sqljs/files.ts';
import { emptyMemory } from '../../../../src/platform/store/sqljs/memory.ts';
import { systemCalls } from '../../../../src/platform/store/sqljs/system-calls.ts';

const refusal = (what: RegExp) =>
  expect.objectContaining({ kind: 'internal', code: 'STORE_ENGINE', message: expect.stringMatching(what) });

it('is the one that is installed', async () => {
  const build = await loadBuild();
  expect(() => checkImports(WebAssembly.Module.imports(build.module))).not.toThrow();
  expect(build.freshFactory()).not.toBe(build.freshFactory());
});

it('is refused with other content', async () => {
  const wasm = await readFile(createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm'));
  const file = { file: 'sql-wasm-debug.wasm', sha256: '0'.repeat(64) };
  expect(() => checkContent(wasm, file)).toThrow(refusal(/sql-wasm-debug\.wasm has SHA-256 [0-9a-f]{16}….*npm ci/));
});

it('is refused with other imports', async () => {
  const imports = WebAssembly.Module.imports((await loadBuild()).module);
  expect(() => checkImports([...imports, { name: '__syscall_renameat' }])).toThrow(
    refusal(/imports __syscall_renameat/),
  );
  expect(() => checkImports(imports.slice(1))).toThrow(refusal(/does not import/));
  // The release build, whose names are single letters.
  const release = await WebAssembly.compile(
    await readFile(createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')),
  );
  expect(() => checkImports(WebAssembly.Module.imports(release))).toThrow(refusal(/imports/));
});

it('has every import that reaches files replaced', () => {
  const calls = systemCalls({ files: openFiles('/nowhere', nodeDisk) }, emptyMemory(), {});
  expect(Object.keys(calls).toSorted()).toEqual([...fileImports].toSorted());
});
