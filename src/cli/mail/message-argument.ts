import { Args } from '@oclif/core';

/** The argument of commands that are about one message; see `messageNamed`. */
export const messageArgument = {
  message: Args.string({
    description: 'id of the message, its first eight or more digits, or its Message-ID',
    required: true,
  }),
};
