import { perform } from '../../../../src/client/perform.ts';
import { aclFlags, aclChange } from '../../../../src/cli/pool/acl-change.ts';
import { ApiCommand } from '../../../../src/cli/kit/command.ts';
import { pool } from '../../../../src/contract/pool.ts';

export default class Update extends ApiCommand {
  static override summary = 'Change who may join the pool, who administers it, or how many must sign';
  static override examples = [
    '<%= config.bin %> admin nodes acl update --mode closed',
    '<%= config.bin %> admin nodes acl update --add-admin alice --remove-admin bob',
    '<%= config.bin %> admin nodes acl update --threshold 2',
  ];
  static override flags = aclFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(Update);
    await using client = await this.connect(flags);
    const changed = await perform(client, pool.updateAcl, await aclChange(client, flags));
    await this.answer(changed, () => `Access list version ${changed.aclVersion} is active.`);
  }
}
