import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { hubArgument, hubNamed } from '../../../src/cli/social/hub-named.ts';
import { trustTiers, type TrustTier } from '../../../src/contract/social/hub.ts';
import { social } from '../../../src/contract/social.ts';

export default class Edit extends ApiCommand {
  static override summary = 'Change what a hub says of itself';
  static override description = 'For its owner and moderators. What is not named stays as it is.';
  static override examples = ['<%= config.bin %> social hub edit garden --rules "Be kind."'];
  static override args = hubArgument;
  static override flags = {
    name: Flags.string({ description: 'name of the hub', helpValue: 'TEXT' }),
    description: Flags.string({ description: 'what the hub is about', helpValue: 'TEXT' }),
    rules: Flags.string({ description: 'rules of the hub', helpValue: 'TEXT' }),
    icon: Flags.string({ description: 'an emoji, or the address of a picture', helpValue: 'TEXT' }),
    tier: Flags.string({ description: 'who may post', options: [...trustTiers] }),
    default: Flags.boolean({ description: 'suggest it to everybody first; for administrators', allowNo: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Edit);
    await using client = await this.connect(flags);
    const { name, description, rules, icon, tier } = flags;
    const { id } = await hubNamed(client, args.hub);
    const hub = await perform(client, social.updateHub, {
      id,
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(rules !== undefined && { rules }),
      ...(icon !== undefined && { icon }),
      ...(tier !== undefined && { trustTier: tier as TrustTier }),
      ...(flags.default !== undefined && { isDefault: flags.default }),
    });
    await this.answer(hub, () => escapeForTerminal(`Changed the hub ${hub.slug}.`));
  }
}
