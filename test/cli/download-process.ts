import { writeInRuns } from '../../src/cli/kit/body-files.ts';
import { downloadTo } from '../../src/client/bodies.ts';
import { remoteTransport } from '../../src/client/http-transport.ts';
import { depot } from '../http/depot.ts';

/** A command that downloads, in a process of its own, which tests kill: the server's URL, and the file. */
const [url = '', path = ''] = process.argv.slice(2);
await using transport = remoteTransport(new URL(url), undefined);
const caller = { transport, place: 'the depot', userAgent: 'test', tokenFor: async () => undefined };
await writeInRuns(path, 'a', async (sink, runs) => await downloadTo(caller, depot.get, { name: 'a' }, sink, runs));
