import type { Client } from '../../../client/client.ts';
import { ApiCommand } from '../../kit/command.ts';
import { ownSide, type OwnSide } from './own-side.ts';

/** A command that reads or writes messages, and opens and seals them here where only members can read them. */
export abstract class ChatCommand extends ApiCommand {
  // oclif looks for flags of bases no further than to a class without anything static of its own.
  static override baseFlags = ApiCommand.baseFlags;

  /** @param flags as `chatKeyFlag` has them, for what may open messages */
  protected side(client: Client, flags: { readonly 'key-file'?: string | undefined } = {}): OwnSide {
    return ownSide({
      client,
      terminal: this.terminal,
      keyFile: flags['key-file'],
      say: (text) => this.say(text),
      warn: (text) => this.warnOf(text),
    });
  }
}
