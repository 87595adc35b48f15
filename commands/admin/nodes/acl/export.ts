import { Flags } from '@oclif/core';
import { exportLists } from '../../../../src/cli/pool/access-list-file.ts';
import { ApiCommand } from '../../../../src/cli/kit/command.ts';
import { writeNew } from '../../../../src/cli/kit/new-file.ts';

export default class Export extends ApiCommand {
  static override summary = 'Export every version of the access list with its signatures';
  static override examples = [
    '<%= config.bin %> admin nodes acl export --out access-lists.json',
    '<%= config.bin %> admin nodes acl export | jq .poolId',
  ];
  static override flags = {
    out: Flags.string({ description: 'file to write; without it, standard output', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Export);
    await using client = await this.connect(flags);
    const found = await exportLists(client);
    const { out: path } = flags;
    if (path === undefined) {
      await this.answer(found, () => JSON.stringify(found, null, 2));
      return;
    }
    await writeNew(path, `${JSON.stringify(found, null, 2)}\n`);
    await this.answer(
      { path, poolId: found.poolId, versions: found.lists.length },
      () => `${path}: ${found.lists.length} versions.`,
    );
  }
}
