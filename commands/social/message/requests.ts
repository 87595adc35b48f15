import { Flags } from '@oclif/core';
import { collectPages } from '../../../src/client/pages.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../../src/cli/kit/list-command.ts';
import { table } from '../../../src/cli/kit/table.ts';
import { requestColumns } from '../../../src/cli/social/messages/requests.ts';
import { messageRequestStates, type MessageRequestState } from '../../../src/contract/social/message.ts';
import { social } from '../../../src/contract/social.ts';

export default class Requests extends ApiCommand {
  static override summary = 'List the message requests that you got, the newest first';
  static override description =
    'Members who do not follow you, or whom you do not follow, ask before they can write more. Read what they wrote before you decide: they do not learn of it.';
  static override examples = ['<%= config.bin %> social message requests'];
  static override flags = {
    status: Flags.string({ description: 'only these', options: [...messageRequestStates], default: 'pending' }),
    ...pageFlags(50),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Requests);
    await using client = await this.connect(flags);
    const filter = { status: flags.status as MessageRequestState };
    const found = await collectPages(client, social.listMessageRequests, filter, 'requests', shownBy(flags));
    const { items: requests, ...more } = found;
    await this.answer({ requests, ...more }, (screen) => table(screen, requests, requestColumns));
    if (requests.length === 0) this.say('There are no message requests.');
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
