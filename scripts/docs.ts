// Writes the parts of docs/ that are made from the program: npm run docs
import { writeFile } from 'node:fs/promises';
import { generatedDocs } from './generated-docs.ts';

for (const [path, text] of await generatedDocs()) await writeFile(path, text);
