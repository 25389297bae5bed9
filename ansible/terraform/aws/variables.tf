# SPDX-License-Identifier: Apache-2.0
variable "name" {
  description = "Name of the deployment, and of its machines."
  type        = string
  default     = "aws-lab"
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,30}$", var.name))
    error_message = "name: a small letter, then up to 30 of a-z 0-9 -."
  }
}

variable "region" {
  description = "Region."
  type        = string
  default     = "eu-west-1"
}

variable "availability_zone" {
  description = "All machines are in one zone: distance between zones would be measured too."
  type        = string
  default     = "eu-west-1a"
}

variable "ssh_public_key_file" {
  description = "Public key of the user who deploys."
  type        = string
}

variable "deployer_cidrs" {
  description = "Addresses that SSH and Grafana are open to; nothing is open to the world."
  type        = list(string)
  validation {
    condition     = length(var.deployer_cidrs) > 0 && !contains(var.deployer_cidrs, "0.0.0.0/0")
    error_message = "deployer_cidrs: name the addresses that you deploy from; 0.0.0.0/0 is refused."
  }
}

variable "machines" {
  description = "How many of each group, of which type, with how large a root volume (GiB)."
  type = map(object({
    count       = number
    type        = string
    root_gib    = number
    name_prefix = string
  }))
  default = {
    brokers       = { count = 3, type = "i3en.6xlarge", root_gib = 64, name_prefix = "broker" }
    loaders       = { count = 2, type = "c5n.9xlarge", root_gib = 128, name_prefix = "client" }
    observability = { count = 1, type = "i3en.3xlarge", root_gib = 256, name_prefix = "observability" }
  }
}
