import { Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { anyKeyFlag, ownKeys } from '../../src/cli/accounts/own-key.ts';

export default class Key extends ApiCommand {
  static override summary = 'Show the fingerprint of your key, or keep the key on this machine';
  static override description =
    'Your key opens client-encrypted containers, and conversations that only their members can read. Whoever lets you into such a container sees the fingerprint, too. Compare the words. With --keep, commands use the key without asking until you sign out or restart this machine. It is in a file that only you can read, in the folder of your session.';
  static override examples = ['<%= config.bin %> files key --keep'];
  static override flags = {
    ...anyKeyFlag,
    keep: Flags.boolean({ description: 'keep the key on this machine', exclusive: ['forget'] }),
    forget: Flags.boolean({ description: 'remove the key from this machine', exclusive: ['key-file'] }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Key);
    await using client = await this.connect(flags);
    if (flags.forget) {
      await client.keepKey(undefined);
      return await this.answer({ kept: false }, () => 'The key is not on this machine any more.');
    }
    const keys = await ownKeys(this.terminal, client, flags['key-file'], 'itself');
    const { ownFingerprint } = await import('../../src/client/filevault/fingerprints.ts');
    const fingerprint = ownFingerprint(keys);
    if (flags.keep) await client.keepKey(keys.privateKey);
    const kept = (await client.keptKey()) !== undefined;
    await this.answer({ fingerprint, kept }, () => fingerprint.words.join(' '));
    if (flags.keep) this.say('The key is kept until you sign out. To remove it: conclave files key --forget');
  }
}
