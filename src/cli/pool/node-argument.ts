import { Args } from '@oclif/core';

export const nodeArgument = {
  node: Args.string({ description: 'id of the node, or its beginning', required: true }),
};
