import { Args, Flags } from '@oclif/core';
import { linkArgument, openLinkCaller } from '../../src/cli/files/links/open-caller.ts';
import { askLink, linkSecretFlags } from '../../src/cli/files/links/open-keys.ts';
import { receiveLink, targetOf } from '../../src/cli/files/links/open-link.ts';
import { leftInfo, linkHash } from '../../src/cli/files/links/open-part.ts';
import { ConclaveCommand } from '../../src/cli/kit/command.ts';
import { bytes } from '../../src/cli/kit/screen.ts';
import { wrapSaid } from '../../src/cli/kit/wrap-words.ts';

export default class Open extends ConclaveCommand {
  static override summary = 'Open a share link, and verify the file, without trusting the page of the link';
  static override description =
    'It needs no account. Nothing is overwritten, and a download that broke off goes on. Put the link between quotes, or give it on standard input (-), where no list of processes and no history of a shell shows it.';
  static override examples = [
    "<%= config.bin %> files open 'https://conclave.example.org/s/…#…'",
    '<%= config.bin %> files open - ~/Downloads < link.txt',
  ];
  static override args = {
    url: Args.string({ description: 'the whole link, or - for standard input', required: true }),
    to: Args.string({
      description: 'folder that is there, name of the new file, or - for standard output',
      default: '.',
    }),
  };
  static override flags = {
    ...linkSecretFlags,
    ca: Flags.string({
      description: "certificate file, or sha256:FINGERPRINT of the server's certificate (CONCLAVE_CA)",
      helpValue: 'FILE',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Open);
    const text = await linkArgument(this.terminal, args.url);
    const userAgent = `conclave/${this.config.version} (${process.platform})`;
    const ca = flags.ca ?? (this.terminal.env['CONCLAVE_CA'] || undefined);
    const { caller, key, isExposed } = await openLinkCaller(text, { userAgent, ca });
    if (isExposed) this.warnOf(`${caller.place} is not encrypted: others can read the password on the network.`);
    const target = await targetOf(args.to, caller);
    const left = async () => await leftInfo(target.part, linkHash(caller));
    const asked = await askLink(this.terminal, caller, key, flags, left);
    const received = await receiveLink(this.terminal, asked, target);
    if (received.path === '-') return;
    const how = received.verified ? 'Every part is as it was sealed.' : 'The server decrypted it.';
    const said = `Received ${received.path}, ${bytes(received.sizeBytes)}. ${how}`;
    await this.answer(received, ({ width }) => wrapSaid(said, width));
  }
}
