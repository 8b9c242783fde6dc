// Every search: all sort fields in both orders, all four forms of a page, and every filter operator that
// the server's own description names, each checked against the whole unpaged list.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { activate, camunda, deploy, now, refused, start } from './support.js';

const searches = {
  searchProcessDefinitions: 'processDefinitionKey',
  searchProcessInstances: 'processInstanceKey',
  searchElementInstances: 'elementInstanceKey',
  searchVariables: 'variableKey',
  searchJobs: 'jobKey',
  searchIncidents: 'incidentKey',
  searchUserTasks: 'userTaskKey',
  searchMessageSubscriptions: 'messageSubscriptionKey',
  searchCorrelatedMessageSubscriptions: 'messageKey',
};

let described;

before(async () => {
  const document = await (await fetch(new URL('/openapi.json', process.env.CAMUNDA_REST_ADDRESS))).json();
  const operations = Object.values(document.paths).flatMap(path => Object.values(path));
  described = operationId => {
    const body = operations.find(one => one.operationId === operationId).requestBody.content['application/json'].schema;
    const name = body.properties.filter.$ref.split('/').pop();
    return { sorts: body.properties.sort.items.properties.field.enum, filter: document.components.schemas[name].properties };
  };
  await populate();
});

// A little of everything, in different states.
async function populate() {
  await deploy('order.bpmn', 'route.bpmn', 'parcel.bpmn', 'review.form', 'review.bpmn', 'sum.bpmn');
  for (let n = 0; n < 8; n++) {
    const order = await start('order', { n, text: `t-${n % 2}` }, { businessId: `b-${n % 3}`, tags: ['many'] });
    const job = await activate('collect-money', order);
    if (n % 3 === 0) await job.complete({ paid: true });
    if (n % 3 === 1) await job.fail({ retries: 0, errorMessage: `broken ${n}` });
    await start('route', n % 2 ? {} : { weight: n });
    await start('parcel', { parcelId: `s-${n}` });
    if (n % 2) await camunda.publishMessage({ name: 'parcel-arrived', correlationKey: `s-${n}` });
    await start('review', { title: `title ${n}` });
  }
  const tasks = await camunda.searchUserTasks({ filter: { state: 'CREATED' }, page: { limit: 4 } }, now);
  const [first, second, third] = tasks.items;
  await camunda.assignUserTask({ userTaskKey: first.userTaskKey, assignee: 'ada' });
  await camunda.completeUserTask({ userTaskKey: second.userTaskKey });
  await camunda.updateUserTask({ userTaskKey: third.userTaskKey, changeset: { priority: 1, followUpDate: '2029-01-01T00:00:00Z' } });
}

const keysOf = (items, key) => items.map(item => item[key]);

for (const [operation, key] of Object.entries(searches)) {
  const search = body => camunda[operation](body, now);

  describe(operation, () => {
    test('sorts by every field in both orders, the same on all kinds of pages', async () => {
      for (const field of described(operation).sorts) {
        for (const order of ['ASC', 'DESC']) {
          const sort = [{ field, order }];
          const all = keysOf((await search({ sort, page: { limit: 10_000 } })).items, key);
          assert.ok(all.length > 3, `${all.length} rows to page through`);
          assert.equal(new Set(all).size, all.length, `${field} ${order} repeats rows`);
          const size = Math.ceil(all.length / 3);
          assert.deepEqual(await forward(search, sort, size, key), all, `after, by ${field} ${order}`);
          assert.deepEqual(await backward(search, sort, size, key), all.slice(0, -1), `before, by ${field} ${order}`);
          const middle = await search({ sort, page: { from: 2, limit: 3 } });
          assert.deepEqual(keysOf(middle.items, key), all.slice(2, 5), `from, by ${field} ${order}`);
          assert.equal(middle.page.totalItems, all.length);
        }
      }
    });

    test('orders values as it says', async () => {
      for (const field of described(operation).sorts) {
        const { items } = await search({ sort: [{ field, order: 'ASC' }], page: { limit: 10_000 } });
        const values = items.map(item => item[field]).filter(value => typeof value === 'string' || typeof value === 'number');
        if (/Key$/.test(field) && field !== 'correlationKey') assertAscending(values.map(BigInt), field);
        else if (!/^(value|state|type|errorType)$/.test(field)) assertAscending(values, field);
      }
    });

    test('filters by every field and operator', async () => {
      const { items } = await search({ page: { limit: 10_000 } });
      for (const [field, schema] of Object.entries(described(operation).filter)) {
        const sample = items.find(item => isPlain(valueOf(item, field)));
        if (!sample) continue;
        for (const [condition, holds] of conditionsOn(sample[field], schema)) {
          const expected = keysOf(items.filter(item => holds(valueOf(item, field))), key);
          const found = await search({ filter: { [field]: condition }, page: { limit: 10_000 } });
          assert.deepEqual(keysOf(found.items, key), expected, `${field}: ${JSON.stringify(condition)}`);
          assert.equal(found.page.totalItems, expected.length);
        }
      }
    });
  });
}

async function forward(search, sort, limit, key) {
  const found = [];
  let page = await search({ sort, page: { limit } });
  while (page.items.length > 0) {
    found.push(...keysOf(page.items, key));
    page = await search({ sort, page: { after: page.page.endCursor, limit } });
  }
  assert.equal(page.page.endCursor, null);
  return found;
}

// From the last row back to the first; the last row itself only lends its cursor.
async function backward(search, sort, limit, key) {
  const { page: { totalItems } } = await search({ sort, page: { limit: 0 } });
  let page = await search({ sort, page: { from: totalItems - 1, limit: 1 } });
  const found = [];
  for (;;) {
    page = await search({ sort, page: { before: page.page.startCursor, limit } });
    if (page.items.length === 0) return found;
    found.unshift(...keysOf(page.items, key));
  }
}

function assertAscending(values, field) {
  for (let i = 1; i < values.length; i++) {
    assert.ok(values[i - 1] <= values[i], `${field}: ${values[i - 1]} before ${values[i]}`);
  }
}

const known = value => value !== null && value !== undefined;
// Clients want text for the worker even of a job that nobody holds: there, empty stands for none.
const valueOf = (item, field) => (field === 'worker' && item.worker === '' ? null : item[field]);
const isPlain = value => known(value) && typeof value !== 'object';
const differs = value => actual => actual !== value;

// What can be said about a field with this value, and for which values it holds.
function conditionsOn(value, schema) {
  const conditions = [[value, actual => actual === value]];
  const operators = findOperators(schema);
  const add = (operator, operand, holds) => operator in operators && conditions.push([{ [operator]: operand }, holds]);
  add('$eq', value, actual => actual === value);
  add('$neq', value, differs(value));
  add('$in', [value], actual => actual === value);
  add('$notIn', [value], differs(value));
  add('$exists', true, known);
  add('$exists', false, actual => !known(actual));
  add('$gt', value, actual => known(actual) && actual > value);
  add('$gte', value, actual => known(actual) && actual >= value);
  add('$lt', value, actual => known(actual) && actual < value);
  add('$lte', value, actual => known(actual) && actual <= value);
  if (typeof value === 'string' && value.length > 1 && !/[*?\\]/.test(value)) {
    add('$like', `${value.slice(0, 1)}*`, actual => known(actual) && actual.startsWith(value.slice(0, 1)));
    add('$like', `?${value.slice(1)}`, actual => known(actual) && actual.slice(1) === value.slice(1));
  }
  if ('$gte' in operators && '$lt' in operators) conditions.push([{ $gte: value, $lt: value }, () => false]);
  return conditions;
}

function findOperators(schema) {
  if (schema.properties && Object.keys(schema.properties).every(name => name.startsWith('$'))) return schema.properties;
  return (schema.anyOf ?? []).map(findOperators).find(found => Object.keys(found).length > 0) ?? {};
}

test('one of several conditions is enough with $or', async () => {
  const found = await camunda.searchProcessInstances({
    filter: { tags: ['many'], $or: [{ businessId: 'b-0' }, { businessId: { $like: '?-1' } }] } }, now);
  assert.deepEqual([...new Set(found.items.map(one => one.businessId))].sort(), ['b-0', 'b-1']);
  assert.equal(found.page.totalItems, 6);
});

test('instances are found by the values of their variables', async () => {
  const found = await camunda.searchProcessInstances({
    filter: { tags: ['many'], variables: [{ name: 'text', value: '"t-1"' }, { name: 'n', value: { $in: ['1', '3'] } }] } }, now);
  assert.equal(found.page.totalItems, 2);
});

test('impossible pages and fields are refused', async () => {
  await refused(400, /The value for page.limit is '-1' but must be a non-negative number\./,
    () => camunda.searchJobs({ page: { limit: -1 } }, now));
  await refused(400, /Unexpected value 'colour' for enum field 'field'/,
    () => camunda.searchJobs({ sort: [{ field: 'colour' }] }, now));
  await refused(400, /Request property \[filter.colour\] cannot be parsed/,
    () => camunda.searchJobs({ filter: { colour: 'red' } }, now));
  await refused(400, /Only one of \[from, after, before\]/,
    () => camunda.searchJobs({ page: { from: 1, after: 'x', limit: 1 } }, now));
});
