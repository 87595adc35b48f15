import { ApiCommand } from '../kit/command.ts';
import { ciphersFor, newKeyLines, sharedSealed, type Ciphers } from './ciphers.ts';
import type { KeyCaller } from '../accounts/own-key.ts';

/** A command that reads or stores files, and encrypts and decrypts those of client-encrypted containers here. */
export abstract class FileCommand extends ApiCommand {
  /** @param keyFile as `--key-file` says */
  protected ciphers(caller: KeyCaller, keyFile: string | undefined): Ciphers {
    return ciphersFor({
      terminal: this.terminal,
      caller,
      keyFile,
      onShared: () => this.warnOf(sharedSealed),
      onNewKey: (news) => {
        for (const line of newKeyLines(news)) this.say(line);
      },
    });
  }
}
