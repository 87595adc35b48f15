import { Args, Flags } from '@oclif/core';
import { FileCommand } from '../../src/cli/files/file-command.ts';
import { keyFlag } from '../../src/cli/accounts/own-key.ts';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { fileAt } from '../../src/cli/files/places.ts';
import { drawLink, linkWarning, newPassword, newPasswordFlags } from '../../src/cli/files/sharing/link-words.ts';
import { linkModes, makeLink } from '../../src/cli/files/sharing/making-links.ts';
import { expiryOf } from '../../src/cli/kit/expiry.ts';

export default class Link extends FileCommand {
  static override summary = 'Make a link to a file, for somebody without an account';
  static override description =
    'It prints the address, once. A link of the mode ephemeral has a key behind the #, and whoever opens it decrypts the file. A proxied one is decrypted by the server. One for a recipient opens with the private key of that member or person alone.';
  static override examples = [
    '<%= config.bin %> files link Work:/report.pdf --expires 7d --max-opens 1 --ask-password',
    '<%= config.bin %> files link Work:/report.pdf --recipient bob',
  ];
  static override args = { path: Args.string({ description: 'path of a file', required: true }) };
  static override flags = {
    mode: Flags.string({ description: 'who decrypts; usually ephemeral', options: Object.keys(linkModes) }),
    recipient: Flags.string({ description: 'member, or public key in hex', helpValue: 'MEMBER_OR_KEY' }),
    ...newPasswordFlags,
    expires: Flags.string({ description: 'when it ends: 7d, 12h or a time', helpValue: 'WHEN' }),
    'max-opens': Flags.integer({ description: 'how often it opens', helpValue: 'N', min: 1, max: 1_000_000 }),
    qr: Flags.boolean({ description: 'draw it as a QR code, too', exclusive: ['json'] }),
    ...keyFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Link);
    const expiresAt = flags.expires === undefined ? undefined : expiryOf(flags.expires, Date.now());
    await using client = await this.connect(flags);
    const file = await fileAt(client, parseRemotePath(args.path));
    const password = await newPassword(this.terminal, flags);
    const made = await makeLink(client, file, {
      ciphers: this.ciphers(client, flags['key-file']),
      mode: flags.mode === undefined ? undefined : linkModes[flags.mode],
      recipient: flags.recipient,
      password,
      expiresAt,
      maxAccessCount: flags['max-opens'],
    });
    const { link, recipient } = made;
    await this.answer({ ...link, ...(recipient !== undefined && { recipient }) }, () => link.url);
    const drawn = flags.qr ? await drawLink(this.terminal, link.url) : undefined;
    this.warnOf([linkWarning(made), ...(drawn === undefined ? [] : [drawn])].join('\n'));
  }
}
