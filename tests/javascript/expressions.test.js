// Evaluating FEEL without a process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { camunda, refused } from './support.js';

const evaluate = (expression, variables) => camunda.evaluateExpression({ expression, variables });

test('expressions answer with JSON values', async () => {
  const cases = [
    ['=a + b', { a: 1, b: 2 }, 3],
    ['="x" + "y"', {}, 'xy'],
    ['=[1,2,3][item > 1]', {}, [2, 3]],
    ['={a: 1, b: {c: null}}', {}, { a: 1, b: { c: null } }],
    ['=every n in numbers satisfies n < 3', { numbers: [1, 2] }, true],
  ];
  for (const [expression, variables, expected] of cases) {
    assert.deepEqual((await evaluate(expression, variables)).result, expected, expression);
  }
});

test('an unknown variable is null with a warning', async () => {
  const answer = await evaluate('=missing');
  assert.equal(answer.result, null);
  assert.equal(answer.warnings.length, 1);
});

test('text that does not parse is refused', async () => {
  await refused(400, /./, () => evaluate('=1 +'));
});
