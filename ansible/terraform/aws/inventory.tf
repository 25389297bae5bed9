# SPDX-License-Identifier: Apache-2.0
# terraform output -raw inventory > ../../inventories/NAME/hosts.yml
# Hosts are reached by their public address; they listen on, and speak to each other by, their private one.
output "inventory" {
  description = "The inventory of these machines."
  value = templatefile("${path.module}/inventory.tftpl", {
    groups = { for group, m in var.machines : group => [for name, h in local.hosts : name if h.group == group] }
    hosts  = { for name, h in aws_instance.host : name => { public = h.public_ip, private = h.private_ip } }
  })
}
