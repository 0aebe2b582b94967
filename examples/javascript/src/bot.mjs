// A Guandan bot that keeps no state: each request brings what the seat may know and the list of legal answers.
import { chooseOption } from './choose.mjs';
import { openTable, Verdict } from './protocol.mjs';

function main() {
  const target = process.env.GUANDAN_TABLE;
  if (!target) {
    console.error('GUANDAN_TABLE is not set: a table starts this bot, for instance by `guandan play`');
    process.exit(2);
  }
  const { stream, close } = openTable(target);
  const open = new Set();

  const frames = {
    welcome: ({ table_id }) => open.add(table_id),
    requests: ({ requests }) => stream.write({ actions: { actions: requests.map(answer) } }),
    refused: ({ code, reason, hint, table_id, request_id, attempts_left }) => {
      console.error(`refused (${code}): ${reason}; ${hint}`);
      // The first option is always legal.
      if (attempts_left > 0) stream.write({ actions: { actions: [{ table_id, request_id, option: 0 }] } });
    },
    closed: ({ table_id, verdict, reason }) => {
      if (verdict !== Verdict.VERDICT_OK) console.error(`${table_id} ended badly: ${reason}`);
      open.delete(table_id);
      if (open.size === 0) stream.end();
    },
  };

  // A kind of frame from a newer arena has no handler here and may be skipped.
  stream.on('data', (response) => frames[response.frame]?.(response[response.frame]));
  stream.on('error', (error) => {
    console.error(`the stream ended: ${error.message}`);
    process.exitCode = 1;
    close();
  });
  stream.on('end', close);

  stream.write({
    hello: {
      lowest_version: 1,
      highest_version: 1,
      client: 'javascript-example/1.0',
      ticket: process.env.GUANDAN_TICKET ?? '',
      wishes: { options: true, view: true },
    },
  });
}

function answer(request) {
  const { table_id, request_id } = request;
  return { table_id, request_id, option: chooseOption(request) };
}

main();
