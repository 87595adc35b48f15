import { ApiCommand } from '../kit/command.ts';
import { afterSending, sentText, undelivered, type SentMessage } from './sending.ts';

/** A command that sends a message. It ends with 1 if somebody will not get it. */
export abstract class SendingCommand extends ApiCommand {
  /** @param sendAt when it leaves, if that is later */
  protected async tell(sent: SentMessage, sendAt: string | undefined): Promise<void> {
    await this.answer(sent, () => sentText(sent, sendAt));
    this.say(afterSending(sent, sendAt));
    if (sent.skipped !== undefined && sent.skipped.length > 0)
      this.warnOf(`Left out ${sent.skipped.join(', ')}: there is no such mailbox any more.`);
    this.endUnlessDelivered(sent);
  }

  protected endUnlessDelivered(sent: SentMessage): void {
    const failed = undelivered(sent);
    if (failed.length === 0) return;
    this.warnOf(`Not delivered to ${failed.join(', ')}. To see why, run: conclave mail status ${sent.id}`);
    this.exit(1);
  }
}
