import manifest from '../package.json' with { type: 'json' };

/** Of this program. The bundler puts it in; nothing is read at run time. */
export const { version } = manifest;
