// The proto files as JavaScript: the client of TableService and the numbers of the enums.
import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';
import protobuf from 'protobufjs';
// The build writes the text of these files into the bundle. Whoever copies this folder copies `proto/` too.
import cards from '../../../proto/guandan_proto/v1/cards.proto';
import events from '../../../proto/guandan_proto/v1/events.proto';
import rules from '../../../proto/guandan_proto/v1/rules.proto';
import table from '../../../proto/guandan_proto/v1/table.proto';

const root = new protobuf.Root();
for (const text of [cards, events, rules, table]) protobuf.parse(text, root, { keepCase: true });
root.resolveAll();

// `seed` has 64 bits, more than a JavaScript number holds, so whole numbers of that size come as strings.
const definition = loader.fromJSON(root.toJSON(), { keepCase: true, longs: String, defaults: true, oneofs: true });
const { TableService } = grpc.loadPackageDefinition(definition).guandan.v1;

export const Ask = root.lookupEnum('guandan.v1.Ask').values;
export const Verdict = root.lookupEnum('guandan.v1.Verdict').values;
export const Kind = root.lookupEnum('guandan.v1.Kind').values;

// Opens the stream of this seat at the table that the environment names.
export function openTable(target) {
  const client = new TableService(target, grpc.credentials.createInsecure());
  return { stream: client.Play(), close: () => client.close() };
}
