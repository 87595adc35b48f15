import { afterAll, inject } from 'vitest';
import { testFile } from './test-file.ts';

const folder = inject('statements');
if (folder !== undefined) {
  const { keepStatements, recordStatements } = await import('./recorded-statements.ts');
  const end = recordStatements(testFile());
  afterAll(async () => await keepStatements(folder, end()));
}
