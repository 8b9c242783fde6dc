// Creating instances in every way, waiting for results, cancelling, deleting, and what can be read of them.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { activate, camunda, deploy, ended, getInstance, now, refused, start, variablesOf } from './support.js';

let order;
before(async () => {
  const deployed = await deploy('order.bpmn', 'sum.bpmn', 'basket.bpmn');
  order = deployed.processes.find(one => one.processDefinitionId === 'order');
});

test('an instance starts by id, by id and version, and by key', async () => {
  const ways = [
    { processDefinitionId: 'order' },
    { processDefinitionId: 'order', processDefinitionVersion: order.processDefinitionVersion },
    { processDefinitionKey: order.processDefinitionKey },
  ];
  for (const way of ways) {
    const created = await camunda.createProcessInstance({ ...way, variables: { amount: 12 } });
    assert.equal(created.processDefinitionKey, order.processDefinitionKey);
    assert.deepEqual(created.variables, {});
    const instance = await getInstance(created.processInstanceKey);
    assert.equal(instance.state, 'ACTIVE');
    assert.equal(instance.processDefinitionVersionTag, 'first');
    await camunda.cancelProcessInstance({ processInstanceKey: created.processInstanceKey });
  }
});

test('awaiting completion answers with the variables of the process', async () => {
  const created = await camunda.createProcessInstance(
    { processDefinitionId: 'sum', variables: { a: 2, b: 3, note: 'kept' }, awaitCompletion: true });
  assert.deepEqual(created.variables, { a: 2, b: 3, note: 'kept', total: 5 });
  const some = await camunda.createProcessInstance(
    { processDefinitionId: 'sum', variables: { a: 2, b: 3 }, awaitCompletion: true, fetchVariables: ['total'] });
  assert.deepEqual(some.variables, { total: 5 });
});

test('awaiting ends with 504 when time runs out, and the instance goes on', async () => {
  await refused(504, /./, () => camunda.createProcessInstance(
    { processDefinitionId: 'order', businessId: 'too-slow', awaitCompletion: true, requestTimeout: 200 },
    { retry: false }));
  const found = await camunda.searchProcessInstances({ filter: { businessId: 'too-slow' } }, now);
  assert.deepEqual(found.items.map(one => one.state), ['ACTIVE']);
});

test('tags and the business id stay with the instance', async () => {
  const key = await start('order', {}, { tags: ['priority:high', 'web'], businessId: 'order-7' });
  const instance = await getInstance(key);
  assert.deepEqual([...instance.tags].sort(), ['priority:high', 'web']);
  assert.equal(instance.businessId, 'order-7');
});

test('unknown processes and keys are not found', async () => {
  await refused(404, /Expected to find process definition with process ID 'nothing', but none found/,
    () => camunda.createProcessInstance({ processDefinitionId: 'nothing' }));
  await refused(404, /Process Instance with key '4503599627370000' not found/,
    () => getInstance('4503599627370000'));
  await refused(404, /Expected to cancel .*'4503599627370000'/,
    () => camunda.cancelProcessInstance({ processInstanceKey: '4503599627370000' }));
});

test('a cancelled instance is terminated, a second cancel finds nothing', async () => {
  const key = await start('order');
  await camunda.cancelProcessInstance({ processInstanceKey: key });
  assert.equal((await getInstance(key)).state, 'TERMINATED');
  await refused(404, /Expected to cancel/, () => camunda.cancelProcessInstance({ processInstanceKey: key }));
});

test('history can be deleted once the instance has ended', async () => {
  const key = await start('order');
  await refused(409, /./, () => camunda.deleteProcessInstance({ processInstanceKey: key }));
  await camunda.cancelProcessInstance({ processInstanceKey: key });
  await camunda.deleteProcessInstance({ processInstanceKey: key });
  await refused(404, /not found/, () => getInstance(key));
});

test('a called instance knows its parents, and its parent waits for it', async () => {
  const root = await start('basket', { amount: 30 });
  const children = await camunda.searchProcessInstances({ filter: { parentProcessInstanceKey: root } }, now);
  const child = children.items[0].processInstanceKey;
  const hierarchy = await camunda.getProcessInstanceCallHierarchy({ processInstanceKey: child }, now);
  assert.deepEqual(hierarchy.map(one => one.processInstanceKey), [root, child]);
  assert.deepEqual(await camunda.getProcessInstanceCallHierarchy({ processInstanceKey: root }, now), []);
  await refused(409, new RegExp(root), () => camunda.cancelProcessInstance({ processInstanceKey: child }));
  await (await activate('collect-money', child)).complete({ receipt: 'r-1' });
  assert.equal((await ended(root)).state, 'COMPLETED');
  assert.equal((await variablesOf(root)).receipt, 'r-1');
});

test('flows and element counts tell the way that was taken', async () => {
  const created = await camunda.createProcessInstance(
    { processDefinitionId: 'sum', variables: { a: 1, b: 1 }, awaitCompletion: true });
  const { processInstanceKey, processDefinitionKey } = created;
  const flows = await camunda.getProcessInstanceSequenceFlows({ processInstanceKey }, now);
  assert.deepEqual(flows.items.map(flow => flow.elementId).sort(), ['to-add', 'to-summed']);
  const counts = await camunda.getProcessInstanceStatistics({ processInstanceKey }, now);
  assert.deepEqual(counts.items.map(one => [one.elementId, one.completed]).sort(),
    [['add', 1], ['given', 1], ['summed', 1]]);
  const overall = await camunda.getProcessDefinitionStatistics(
    { processDefinitionKey, filter: { processInstanceKey } }, now);
  assert.equal(overall.items.find(one => one.elementId === 'add').completed, 1);
});

test('running instances are counted by definition and by version', async () => {
  await start('order');
  const byDefinition = await camunda.getProcessDefinitionInstanceStatistics({}, now);
  const counted = byDefinition.items.find(one => one.processDefinitionId === 'order');
  assert.ok(counted.activeInstancesWithoutIncidentCount >= 1);
  const byVersion = await camunda.getProcessDefinitionInstanceVersionStatistics(
    { filter: { processDefinitionId: 'order' } }, now);
  const version = byVersion.items.find(one => one.processDefinitionKey === order.processDefinitionKey);
  assert.equal(version.processDefinitionVersion, order.processDefinitionVersion);
  assert.ok(version.activeInstancesWithoutIncidentCount >= 1);
});

test('variables can be set on an instance and read back with their JSON values', async () => {
  const key = await start('order', { list: [1, 2], nothing: null });
  await camunda.createElementInstanceVariables({ elementInstanceKey: key, variables: { text: 'ä "quoted"', list: [3] } });
  assert.deepEqual(await variablesOf(key), { list: [3], nothing: null, text: 'ä "quoted"' });
  const found = await camunda.searchVariables({ filter: { processInstanceKey: key, name: 'text' } }, now);
  const one = await camunda.getVariable({ variableKey: found.items[0].variableKey }, now);
  assert.equal(one.value, JSON.stringify('ä "quoted"'));
});

test('long values are cut in search and whole by key', async () => {
  const key = await start('order', { long: 'x'.repeat(10_000) });
  const cut = await camunda.searchVariables({ filter: { processInstanceKey: key } }, now);
  assert.equal(cut.items[0].isTruncated, true);
  assert.equal(cut.items[0].value.length, 8191);
  const whole = await camunda.getVariable({ variableKey: cut.items[0].variableKey }, now);
  assert.equal(whole.value.length, 10_002);
  const uncut = await camunda.searchVariables({ filter: { processInstanceKey: key }, truncateValues: false }, now);
  assert.equal(uncut.items[0].value.length, 10_002);
});
