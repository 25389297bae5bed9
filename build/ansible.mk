# SPDX-License-Identifier: Apache-2.0
# Many machines. Included by the top Makefile; see ansible/README.md.

ANSIBLE := $(HOME_DIR)/ansible
ANSIBLE_BIN := $(CURDIR)/$(ANSIBLE)/venv/bin
# Ansible refuses a locale that is not UTF-8.
ANSIBLE_ENV := LC_ALL=C.UTF-8 ANSIBLE_CONFIG=$(CURDIR)/ansible/ansible.cfg ANSIBLE_HOME=$(CURDIR)/$(ANSIBLE)/home \
  PATH=$(ANSIBLE_BIN):$$PATH

.PHONY: dist ansible check-ansible test-ansible test-vrl test-cluster
ansible: $(STAMPS)/ansible ## Ansible at the version that the roles are written for, in .tailrace/ansible

dist: setup ## pack what hosts of a deployment get of this build
	@$(VENV)/python ansible/build/dist.py

check-ansible: $(STAMPS)/ansible ## the roles: ansible-lint's production profile, every playbook's syntax
	@cd ansible && $(ANSIBLE_ENV) ansible-lint --offline -q --strict
	@cd ansible && for playbook in playbooks/*.yml; do \
	  $(ANSIBLE_ENV) ansible-playbook --syntax-check -i inventories/aws $$playbook >/dev/null; done

test-ansible: setup $(STAMPS)/ansible ## templates rendered and read by the programs they are for; drives; inventories
	@cd ansible && $(ANSIBLE_ENV) PYTHONDONTWRITEBYTECODE=1 $(ANSIBLE_BIN)/pytest -q \
	  $(if $(JUNIT),--junitxml=$(JUNIT))

test-vrl: ## the VRL programs of the role vector, compiled and run by the vrl crate
	@CARGO_TARGET_DIR=$(CURDIR)/$(HOME_DIR)/build/vrl cargo run --quiet --locked --manifest-path ansible/tests/vrl/Cargo.toml -- ansible/roles/vector/files

test-cluster: dist $(STAMPS)/ansible ## three systemd hosts deployed by the roles, a run with a broker stopped (root)
	@$(ANSIBLE_ENV) PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=ansible/tests $(ANSIBLE_BIN)/python -m cluster

$(STAMPS)/ansible: ansible/requirements.txt ansible/build/venv.sh | $(STAMPS)/doctor
	@$(STEP) ansible "install Ansible" "$(NETWORK)" ansible/build/venv.sh
