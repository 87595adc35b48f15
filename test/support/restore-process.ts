import { loadConfig } from '../../src/config/load.ts';
import { restoreStore } from '../../src/services/node/restore.ts';

/** Restores a backup over a store, for a test that kills this process somewhere on the way. Arguments: data directory, file. */
const [dataDir = '', file = ''] = process.argv.slice(2);
const loaded = await loadConfig({ flags: { 'data-dir': dataDir }, env: {}, home: dataDir, cwd: dataDir });
process.stdout.write('ready\n');
await restoreStore(loaded, { file, force: true, passphrase: 'correct horse' });
process.stdout.write('done\n');
