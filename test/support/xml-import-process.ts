import { parseImport } from '../../src/services/passvault/transfer/import/parse.ts';
import { Problem } from '../../src/base/problem.ts';
import { keePassXml } from '../services/passvault/transfer/import/samples.ts';

// Imports an XML file of KeePass in a process of its own, whose heap the caller bounds. It prints the code of the refusal.
//
//   node xml-import-process.mjs <elements of the only entry>

const [elements = ''] = process.argv.slice(2);
const file = Buffer.from(keePassXml(`<Entry>${'<a/>'.repeat(Number(elements))}</Entry>`));
try {
  await parseImport('managerD_xml', file);
  console.log('imported');
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  console.log(error.code);
}
