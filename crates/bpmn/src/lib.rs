//! BPMN 2.0 XML in, a validated and executable process out.
