import { afterAll, expect, inject } from 'vitest';

const folder = inject('statements');
if (folder !== undefined) {
  const { keepStatements, recordStatements } = await import('./recorded-statements.ts');
  const end = recordStatements(expect.getState().testPath ?? '');
  afterAll(async () => await keepStatements(folder, end()));
}
