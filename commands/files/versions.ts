import { Args, Flags } from '@oclif/core';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { fileAt } from '../../src/cli/files/places.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { bytes, moment } from '../../src/cli/kit/screen.ts';
import { table } from '../../src/cli/kit/table.ts';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';
import { Problem } from '../../src/base/problem.ts';

export default class Versions extends ApiCommand {
  static override summary = 'List the versions of a file, or make an older one current';
  static override examples = ['<%= config.bin %> files versions Work:/report.pdf --restore 3'];
  static override args = { path: Args.string({ description: 'path of a file', required: true }) };
  static override flags = {
    restore: Flags.integer({ description: 'number of the version to make current', helpValue: 'NUMBER', min: 1 }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Versions);
    await using client = await this.connect(flags);
    const { id } = await fileAt(client, parseRemotePath(args.path));
    const read = async () => {
      const reply = await perform(client, filevault.listVersions, { id });
      return Array.isArray(reply) ? reply : reply.versions;
    };
    if (flags.restore !== undefined) {
      const wanted = (await read()).find(({ versionNumber }) => versionNumber === flags.restore);
      if (wanted === undefined)
        throw new Problem('missing', 'VERSION_NOT_FOUND', `The file has no version ${flags.restore}.`);
      await perform(client, filevault.restoreVersion, { id, versionId: wanted.versionId });
    }
    const versions = await read();
    await this.answer({ id, versions }, (screen) =>
      table(screen, versions, [
        { title: 'NUMBER', of: ({ versionNumber }) => String(versionNumber), whole: true },
        { title: '', of: ({ isCurrent }) => (isCurrent ? 'current' : ''), whole: true },
        { title: 'SIZE', of: ({ sizeBytes }) => bytes(sizeBytes), whole: true },
        { title: 'STORED', of: ({ createdAt }) => moment(screen, createdAt), whole: true },
        { title: 'ID', of: ({ versionId }) => versionId, spare: true },
      ]),
    );
  }
}
