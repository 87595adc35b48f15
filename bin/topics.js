// The topics of commands, from the folders that the commands are in: for the build, and for bin/dev.js.
const { readdirSync, readFileSync } = require('node:fs');
const { basename, join } = require('node:path');

/**
 * In the form that oclif reads from a package.json. Each folder of commands says in its topic.json what they are about, so that a topic
 * comes and goes with its folder. One that doesn't say it is an error: its commands would stand in no list.
 */
function topicsBelow(folder) {
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = folders.map(({ name }) => name).sort();
  return Object.fromEntries(names.map((name) => [name, topicOf(join(folder, name))]));
}

function topicOf(folder) {
  const file = join(folder, 'topic.json');
  let description;
  try {
    ({ description } = JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    const what = `${file} must say what the commands of ${basename(folder)} are about: {"description": "…"}`;
    throw new Error(what, { cause });
  }
  if (typeof description !== 'string' || description.trim() === '') throw new Error(`${file} has no description`);
  const subtopics = topicsBelow(folder);
  return Object.keys(subtopics).length === 0 ? { description } : { description, subtopics };
}

module.exports = { topicsBelow };
