import { Flags } from '@oclif/core';
import { oneTimeCode } from '../../src/client/one-time-code.ts';
import { totpSecretOf } from '../../src/cli/passvault/entries/field-value.ts';
import { readNamedEntry } from '../../src/cli/passvault/entries/find-entry.ts';
import { vaultTitle } from '../../src/base/vault-names.ts';
import { entryArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';

export default class Otp extends VaultCommand {
  static override summary = 'Print the one-time code of an entry';
  static override description =
    '--watch shows the code with its remaining seconds, until Ctrl-C. --qr draws the secret as a QR code for an authenticator app.';
  static override examples = [
    '<%= config.bin %> vault otp Work/GitHub',
    '<%= config.bin %> vault otp Work/GitHub --watch',
  ];
  static override args = entryArgument;
  static override flags = {
    watch: Flags.boolean({ description: 'show the code as it changes', exclusive: ['qr', 'json'] }),
    qr: Flags.boolean({ description: 'draw the secret as a QR code', exclusive: ['json'] }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Otp);
    const { vault, entry } = await this.read(args.entry, flags);
    const secret = totpSecretOf(entry);
    if (flags.watch) {
      const { untilInterrupted, watchCode } = await import('../../src/cli/passvault/browse/watch-code.ts');
      const label = `${vaultTitle(vault)}/${entry.title}`;
      return await untilInterrupted((signal) => watchCode(this.terminal, label, secret, { signal }));
    }
    if (flags.qr) {
      const { qrCode } = await import('../../src/cli/kit/qr-code.ts');
      const { otpUri } = await import('../../src/cli/passvault/browse/otp-uri.ts');
      const drawn = await qrCode(otpUri(entry), (await this.screen()).width);
      return await this.answer({}, () => drawn);
    }
    const code = oneTimeCode(secret, Date.now());
    await this.answerText({ entryId: entry.id, ...code }, code.code);
  }

  /** Watching may take all day, so the store is closed before it begins. */
  private async read(name: string, flags: Parameters<Otp['session']>[0]) {
    await using session = await this.session(flags);
    return await readNamedEntry(session, name);
  }
}
