import { Args } from '@oclif/core';
import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import type { JsonOperation, RawInputOf, ReplyOf } from '../../contract/operation.ts';
import { ApiCommand, type ConnectionFlags } from './command.ts';
import { fieldsOf } from './fields.ts';
import type { Screen } from './screen.ts';

/** An argument of a command for a field of an operation. The command asks for it if it is missing, as for flags. */
export function argumentOf(operation: JsonOperation, name: string) {
  const description = fieldsOf(operation).find((field) => field.key === name)?.description ?? name;
  return { [name]: Args.string({ description }) };
}

/** An operation, and how its reply is shown. */
export interface Performing {
  readonly operation: JsonOperation;
  perform(client: Client, input: object): Promise<unknown>;
  readonly draw: (reply: never, screen: Screen) => string;
}

export function performing<O extends JsonOperation>(
  operation: O,
  draw: (reply: ReplyOf<O>, screen: Screen) => string,
): Performing {
  return {
    operation,
    perform: async (client, input) => await perform(client, operation, input as RawInputOf<O>),
    draw,
  };
}

/**
 * A command that performs one operation of the contract. Its argument (`argumentOf`) and its flags (`flagsOf`) give the input. It shows the
 * reply.
 */
export abstract class PerformCommand extends ApiCommand {
  protected abstract readonly performs: Performing;

  async run(): Promise<void> {
    const { args, flags } = await this.parse<ConnectionFlags, ConnectionFlags, Record<string, string>>(this.ctor);
    const { operation, draw } = this.performs;
    const [argument] = Object.keys(this.ctor.args);
    const input = await this.inputFor(operation, flags, { given: args, ...(argument !== undefined && { argument }) });
    await using client = await this.connect(flags);
    const reply = await this.performs.perform(client, input);
    await this.answer(reply, (screen) => draw(reply as never, screen));
  }
}
