// Messages that are published, buffered and correlated, messages that start instances, and signals.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { camunda, deploy, ended, eventually, getInstance, now, refused, start, variablesOf } from './support.js';

before(() => deploy('parcel.bpmn', 'enquiry.bpmn', 'alarm.bpmn'));

const name = 'parcel-arrived';

test('a published message reaches the instance that waits for it', async () => {
  const key = await start('parcel', { parcelId: 'p-1' });
  const published = await camunda.publishMessage({ name, correlationKey: 'p-1', variables: { weight: 4 } });
  assert.match(published.messageKey, /^\d+$/);
  assert.equal((await ended(key)).state, 'COMPLETED');
  assert.equal((await variablesOf(key)).weight, 4);
});

test('a message with time to live waits for its instance', async () => {
  await camunda.publishMessage({ name, correlationKey: 'p-2', timeToLive: 60_000, messageId: 'once' });
  await refused(409, /./, () =>
    camunda.publishMessage({ name, correlationKey: 'p-2', timeToLive: 60_000, messageId: 'once' }));
  const key = await start('parcel', { parcelId: 'p-2' });
  assert.equal((await ended(key)).state, 'COMPLETED');
});

test('a message without time to live is not kept', async () => {
  await camunda.publishMessage({ name, correlationKey: 'p-3' });
  const key = await start('parcel', { parcelId: 'p-3' });
  assert.equal((await getInstance(key)).state, 'ACTIVE');
});

test('a correlation answers with the instance, or that nobody waits', async () => {
  const key = await start('parcel', { parcelId: 'p-4' });
  const correlated = await camunda.correlateMessage({ name, correlationKey: 'p-4' });
  assert.equal(correlated.processInstanceKey, key);
  await refused(404, /Expected to find subscription for message with name 'parcel-arrived' and correlation key 'p-4', but none was found/,
    () => camunda.correlateMessage({ name, correlationKey: 'p-4' }));
});

test('subscriptions can be seen while they wait and after they were met', async () => {
  const key = await start('parcel', { parcelId: 'p-5' });
  const waiting = await camunda.searchMessageSubscriptions({ filter: { processInstanceKey: key } }, now);
  assert.deepEqual(waiting.items.map(one => [one.messageName, one.correlationKey, one.messageSubscriptionState]),
    [[name, 'p-5', 'CREATED']]);
  const { messageKey } = await camunda.correlateMessage({ name, correlationKey: 'p-5' });
  const met = await camunda.searchCorrelatedMessageSubscriptions({ filter: { processInstanceKey: key } }, now);
  assert.deepEqual(met.items.map(one => [one.messageKey, one.elementId]), [[messageKey, 'wait']]);
});

test('a message starts an instance', async () => {
  const started = await camunda.correlateMessage(
    { name: 'enquiry-received', correlationKey: '', variables: { question: 'when?' } });
  assert.equal((await ended(started.processInstanceKey)).processDefinitionId, 'enquiry');
  assert.deepEqual(await variablesOf(started.processInstanceKey), { question: 'when?' });
});

test('one signal starts instances, another goes on to all that wait', async () => {
  for (const room of ['kitchen', 'cellar']) {
    const broadcast = await camunda.broadcastSignal({ signalName: 'alarm-raised', variables: { room } });
    assert.match(broadcast.signalKey, /^\d+$/);
  }
  const waiting = await eventually('both alarms wait', async () => {
    const found = await camunda.searchProcessInstances({ filter: { processDefinitionId: 'alarm', state: 'ACTIVE' } }, now);
    return found.page.totalItems === 2 && found.items;
  });
  await camunda.broadcastSignal({ signalName: 'alarm-cleared' });
  for (const one of waiting) assert.equal((await ended(one.processInstanceKey)).state, 'COMPLETED');
});

test('a signal that nobody waits for is accepted', async () => {
  const broadcast = await camunda.broadcastSignal({ signalName: 'silence' });
  assert.equal(broadcast.tenantId, '<default>');
});
