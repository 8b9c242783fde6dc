// Deploying models and forms, versions, refusals, and reading back what was deployed.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import createCamundaClient from '@camunda8/orchestration-cluster-api';
import { camunda, deploy, model, now, refused } from './support.js';

const file = (text, name) => new File([text], name);
const text = name => readFile(model(name), 'utf8');

test('a deployment lists processes and forms with their keys', async () => {
  const deployed = await deploy('review.bpmn', 'review.form');
  assert.deepEqual(deployed.processes.map(one => one.processDefinitionId), ['review']);
  assert.deepEqual(deployed.forms.map(one => one.formId), ['review-form']);
  assert.equal(deployed.tenantId, '<default>');
  const definition = await camunda.getProcessDefinition(
    { processDefinitionKey: deployed.processes[0].processDefinitionKey }, now);
  assert.equal(definition.name, 'Review');
  assert.equal(definition.resourceName.split('/').pop(), 'review.bpmn');
  assert.equal(definition.hasStartForm, true);
});

test('equal content keeps its version, other content gets the next one', async () => {
  const source = (await text('sum.bpmn')).replace('id="sum"', 'id="versioned"');
  const [first] = (await camunda.createDeployment({ resources: [file(source, 'versioned.bpmn')] })).processes;
  const [same] = (await camunda.createDeployment({ resources: [file(source, 'versioned.bpmn')] })).processes;
  assert.equal(same.processDefinitionKey, first.processDefinitionKey);
  assert.equal(same.processDefinitionVersion, 1);
  const changed = source.replace('=a + b', '=a * b');
  const [second] = (await camunda.createDeployment({ resources: [file(changed, 'versioned.bpmn')] })).processes;
  assert.equal(second.processDefinitionVersion, 2);
  const latest = await camunda.searchProcessDefinitions(
    { filter: { processDefinitionId: 'versioned', isLatestVersion: true } }, now);
  assert.deepEqual(latest.items.map(one => one.version), [2]);
});

test('the model comes back as it was deployed', async () => {
  const deployed = await deploy('order.bpmn');
  const xml = await camunda.getProcessDefinitionXml(
    { processDefinitionKey: deployed.processes[0].processDefinitionKey }, now);
  assert.equal(xml, await text('order.bpmn'));
});

test('the start form belongs to the definition', async () => {
  const deployed = await deploy('review.form', 'review.bpmn');
  const form = await camunda.getStartProcessForm(
    { processDefinitionKey: deployed.processes[0].processDefinitionKey }, now);
  assert.equal(form.formId, 'review-form');
  assert.equal(form.formKey, deployed.forms[0].formKey);
  assert.equal(JSON.parse(form.schema).components[0].key, 'approved');
});

test('a broken model is refused and leaves nothing behind', async () => {
  const broken = (await text('sum.bpmn')).replace('id="sum"', 'id="broken"').replace('=a + b', '=a +');
  await refused(400, /Expected to deploy new resources.*'broken.bpmn': - Element: add/s,
    () => camunda.createDeployment({ resources: [file(broken, 'broken.bpmn')] }));
  const found = await camunda.searchProcessDefinitions({ filter: { processDefinitionId: 'broken' } }, now);
  assert.equal(found.page.totalItems, 0);
});

test('a deleted definition starts no more instances', async () => {
  const source = (await text('sum.bpmn')).replace('id="sum"', 'id="short-lived"');
  const [process] = (await camunda.createDeployment({ resources: [file(source, 'short-lived.bpmn')] })).processes;
  const deleted = await camunda.deleteResource({ resourceKey: process.processDefinitionKey });
  assert.equal(deleted.resourceKey, process.processDefinitionKey);
  await refused(404, /Expected to find process definition with process ID 'short-lived'/,
    () => camunda.createProcessInstance({ processDefinitionId: 'short-lived' }));
});

test('other files are kept as resources with their content', async () => {
  const script = JSON.stringify({ id: 'robot', name: 'Robot', script: 'print' });
  const deployed = await camunda.createDeployment({ resources: [file(script, 'robot.rpa')] });
  const resourceKey = deployed.resources[0].resourceKey;
  assert.equal((await camunda.getResource({ resourceKey })).resourceName, 'robot.rpa');
  // Scripts are JSON objects since 8.10; the strict schema of this client knows them as text.
  const lenient = createCamundaClient({ config: { CAMUNDA_SDK_VALIDATION: 'none' } });
  assert.deepEqual(await lenient.getResourceContent({ resourceKey }), JSON.parse(script));
});
