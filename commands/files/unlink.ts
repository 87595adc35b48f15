import { Args } from '@oclif/core';
import { linkArgument } from '../../src/cli/files/links/open-caller.ts';
import { linkNamed } from '../../src/cli/files/sharing/link-words.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';

export default class Unlink extends ApiCommand {
  static override summary = 'Revoke a link to a file';
  static override description =
    'It ends downloads that are running. The ids of links are in: conclave files shares. Give a link itself on standard input (-), where no list of processes and no history of a shell shows it.';
  static override examples = [
    '<%= config.bin %> files unlink 01a21014d66235c2cf0f2a8b94bf83ba',
    '<%= config.bin %> files unlink - < link.txt',
  ];
  static override args = {
    link: Args.string({ description: 'id of the link, or - for the link on standard input', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Unlink);
    const id = linkNamed(await linkArgument(this.terminal, args.link));
    await using client = await this.connect(flags);
    await perform(client, filevault.revokeLink, { token: id });
    await this.answer({ revoked: true }, () => 'The link opens nothing any more.');
  }
}
