// User tasks from creation to completion: assignment, changes, forms and variables.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { camunda, deploy, ended, now, refused, start, variablesOf } from './support.js';

before(() => deploy('review.form', 'review.bpmn'));

async function openTask(title) {
  const processInstanceKey = await start('review', { title });
  const found = await camunda.searchUserTasks({ filter: { processInstanceKey } }, now);
  assert.equal(found.page.totalItems, 1);
  return found.items[0];
}

const read = userTaskKey => camunda.getUserTask({ userTaskKey }, now);

test('a task shows what the model says about it', async () => {
  const task = await openTask('First');
  assert.equal(task.name, 'Check the text');
  assert.equal(task.state, 'CREATED');
  assert.deepEqual([...task.candidateGroups].sort(), ['editors', 'lawyers']);
  assert.deepEqual(task.candidateUsers, ['ada']);
  assert.equal(task.priority, 70);
  assert.equal(Date.parse(task.dueDate), Date.UTC(2030, 0, 1));
  assert.equal(task.assignee, null);
});

test('a task is assigned, taken over, given back and completed', async () => {
  const { userTaskKey, processInstanceKey } = await openTask('Second');
  await camunda.assignUserTask({ userTaskKey, assignee: 'ada' });
  assert.equal((await read(userTaskKey)).assignee, 'ada');
  await refused(409, /./, () => camunda.assignUserTask({ userTaskKey, assignee: 'bob', allowOverride: false }));
  await camunda.assignUserTask({ userTaskKey, assignee: 'bob', allowOverride: true });
  await camunda.unassignUserTask({ userTaskKey });
  assert.equal((await read(userTaskKey)).assignee, null);
  await camunda.completeUserTask({ userTaskKey, variables: { approved: true } });
  assert.equal((await ended(processInstanceKey)).state, 'COMPLETED');
  const done = await read(userTaskKey);
  assert.equal(done.state, 'COMPLETED');
  assert.ok(done.completionDate);
  assert.equal((await variablesOf(processInstanceKey)).approved, true);
  await refused(404, /./, () => camunda.completeUserTask({ userTaskKey }));
});

test('a change sets what it names, empty clears, the rest stays', async () => {
  const { userTaskKey } = await openTask('Third');
  await camunda.updateUserTask({
    userTaskKey, changeset: { priority: 10, candidateGroups: [], dueDate: '', followUpDate: '2031-05-06T07:08:09Z' },
  });
  const task = await read(userTaskKey);
  assert.equal(task.priority, 10);
  assert.deepEqual(task.candidateGroups, []);
  assert.equal(task.dueDate, null);
  assert.equal(Date.parse(task.followUpDate), Date.UTC(2031, 4, 6, 7, 8, 9));
  assert.deepEqual(task.candidateUsers, ['ada']);
  await refused(400, /priority/, () => camunda.updateUserTask({ userTaskKey, changeset: { priority: 101 } }));
});

test('the form of a task is the deployed one', async () => {
  const { userTaskKey } = await openTask('Fourth');
  const form = await camunda.getUserTaskForm({ userTaskKey }, now);
  assert.equal(form.formId, 'review-form');
  assert.equal(form.version, 1);
});

test('a task sees its own variables and those above it', async () => {
  const { userTaskKey } = await openTask('Fifth');
  const all = await camunda.searchUserTaskVariables({ userTaskKey }, now);
  assert.deepEqual(all.items.map(one => one.name).sort(), ['heading', 'title']);
  const effective = await camunda.searchUserTaskEffectiveVariables(
    { userTaskKey, filter: { name: 'heading' } }, now);
  assert.deepEqual(effective.items.map(one => one.value), ['"Fifth"']);
});

test('tasks are found by candidates, assignee and variables', async () => {
  const { userTaskKey, processInstanceKey } = await openTask('Sixth');
  await camunda.assignUserTask({ userTaskKey, assignee: 'carol' });
  const filters = [
    { candidateGroup: 'editors' }, { candidateUser: 'ada' }, { assignee: 'carol' }, { state: 'CREATED' },
    { processInstanceVariables: [{ name: 'title', value: '"Sixth"' }] },
    { localVariables: [{ name: 'heading', value: '"Sixth"' }] },
  ];
  for (const filter of filters) {
    const found = await camunda.searchUserTasks({ filter: { ...filter, processInstanceKey } }, now);
    assert.deepEqual(found.items.map(one => one.userTaskKey), [userTaskKey], JSON.stringify(filter));
  }
  const none = await camunda.searchUserTasks(
    { filter: { processInstanceKey, processInstanceVariables: [{ name: 'title', value: '"Other"' }] } }, now);
  assert.equal(none.page.totalItems, 0);
});
